#!/usr/bin/env python3
"""What only a server can do to workers: disks that are full, rights that are missing; and the commands of the README for
PostgreSQL. store_postgres_test.py PTCC [unittest's arguments]."""
import json
import os
import shutil
import signal
import subprocess
import sys
import unittest

import ptcc_test
from chaos_test import Chaos
from ptcc_test import SECONDS, ptcc
from store_test import OnPostgres, Stored
from waiting import wait_until


class Disk(OnPostgres, Stored):
    """A tablespace on a file system of its own, which somebody else fills."""

    def setUp(self):
        super().setUp()
        self.small = os.path.join(self.folder, "small")
        os.mkdir(self.small)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", self.small], capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("a small file system cannot be mounted: " + mounted.stderr)
        self.addCleanup(subprocess.run, ["umount", "-l", self.small], check=True)
        self.addCleanup(lambda: (self.server.communicate(), None)) # before its files go
        os.chmod(self.folder, 0o711)
        space = os.path.join(self.small, "space")
        os.mkdir(space)
        owner = os.stat(os.path.join(self.server_folder, "data"))
        os.chown(space, owner.st_uid, owner.st_gid)
        self.sql(f"CREATE TABLESPACE small LOCATION '{space}'")
        self.sql("ALTER DATABASE postgres SET default_tablespace = small")
        self.filler = os.path.join(self.small, "filler")

    def fill(self):
        with open(self.filler, "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)):
                    pass
            except OSError:
                pass

    def test_it_is_said_and_loses_nothing(self):
        replies = [f"(def b{n} (apply str (map (fn [i] (str (* i i i {7919 + n}))) (range 6000))))" for n in range(6)] + ["(return 2)"]
        agent = self.agent_file(prompt="x", max_turns=9, replies=replies)
        for n in range(4):
            self.submit(agent, "--id", f"m{n}")
        self.fill()
        # One that somebody waits for ends, and says why.
        done = ptcc("worker", *self.at, "--until-empty", "--give-up-ms", "1500", "--lease-ms", "1000")
        self.assertEqual(done.returncode, 1, done.stderr)
        *log, last = done.stderr.splitlines()
        self.assertRegex(last, "^ptcc: The store cannot be used: could not extend file .*: No space left on device")
        errors = [line for line in map(json.loads, log) if line["level"] == "error"]
        self.assertLess(len(errors), 100) # it backs off
        self.assertFalse(set(self.status().values()) & {"done", "failed"}, self.status())
        # Another one goes on when there is room.
        log = open(os.path.join(self.folder, "log"), "w+", encoding="utf-8")
        self.addCleanup(log.close)
        worker = subprocess.Popen([ptcc_test.PTCC, "worker", *self.at, "--lease-ms", "1000"], stderr=log)
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)

        def said():
            with open(log.name, encoding="utf-8") as lines:
                return "No space left on device" in lines.read()
        wait_until(said, "a word on the disk")
        self.assertIsNone(worker.poll())
        os.unlink(self.filler)
        wait_until(lambda: set(self.status().values()) == {"done"}, "the missions")
        self.assertEqual(self.results(), {f"m{n}": 2 for n in range(4)})
        self.assertIsNone(worker.poll())


class Rights(OnPostgres, Stored):
    def setUp(self):
        super().setUp()
        self.submit(self.agent_file(prompt="x", replies=["(def a 1)", "(return 7)"]), "--id", "a")
        self.sql("CREATE ROLE clerk LOGIN; GRANT USAGE ON SCHEMA missions TO clerk; "
                 "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA missions TO clerk")
        self.own_at = ("--store", self.store.replace("ptc@", "clerk@"))

    def give_up(self, right):
        """What a worker says that somebody waits for, without a right."""
        self.sql(f"REVOKE {right} FROM clerk")
        done = ptcc("worker", *self.own_at, "--until-empty", "--give-up-ms", "1", "--lease-ms", "300")
        self.assertEqual(done.returncode, 1, done.stderr)
        *log, last = done.stderr.splitlines()
        self.assertRegex(last, r"^ptcc: The store cannot be used: permission denied for table \w+\. This helps: `GRANT ")
        self.sql(f"GRANT {right} TO clerk".replace("FROM", "TO"))
        return [line["event"] for line in map(json.loads, log) if line["level"] == "error"]

    def test_a_worker_that_somebody_waits_for_gives_up_when_it_is_told_to(self):
        self.assertEqual(set(self.give_up("UPDATE ON missions.mission")), {"claim"})
        self.assertEqual(self.status(), {"a": "ready"})

    def test_a_mission_that_cannot_be_written_is_not_lost(self):
        for _ in range(3): # more often than it may fail
            self.assertIn("commit", self.give_up("INSERT ON missions.call"))
        [mission] = self.missions()
        self.assertNotIn(mission["status"], ("done", "failed"))
        done = ptcc("worker", *self.own_at, "--until-empty")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.results(), {"a": 7})

    def test_a_worker_goes_on_when_the_right_is_there(self):
        self.sql("REVOKE INSERT ON missions.call FROM clerk")
        log = open(os.path.join(self.folder, "log"), "w+", encoding="utf-8")
        self.addCleanup(log.close)
        worker = subprocess.Popen([ptcc_test.PTCC, "worker", *self.own_at], stderr=log)
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)

        def said():
            with open(log.name, encoding="utf-8") as lines:
                return "permission denied" in lines.read()
        wait_until(said, "a word on the right")
        self.sql("GRANT INSERT ON missions.call TO clerk")
        wait_until(lambda: self.status() == {"a": "done"}, "the mission")
        self.assertIsNone(worker.poll())


class Readme(OnPostgres, Stored):
    def test_the_commands_of_the_readme(self):
        """As they stand there, but for the address of the server and a port that is free."""
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
            blocks = file.read().split("## Many missions, many workers\n")[1].split("```sh\n")
        agent, commands = (block.split("\n```")[0] for block in blocks[1:3])
        url = "postgres://me@db/missions"
        self.assertIn("createdb missions\n", commands)
        self.assertEqual(commands.count(url), 2)
        commands = commands.replace(url, f"'postgres:///missions?host={self.server_folder}&user=ptc'").replace("--port 9464", "--port 0")
        *first, worker = commands.splitlines()
        self.assertTrue(worker.startswith("ptcc worker "), worker)
        definition = f'set -e\nptcc() {{ "{ptcc_test.PTCC}" "$@"; }}\n'
        environment = {**os.environ, "PGHOST": self.server_folder, "PGUSER": "ptc"}
        done = subprocess.run(["bash", "-c", definition + "\n".join([agent.splitlines()[0], *first])], cwd=self.folder, env=environment, capture_output=True,
                              text=True, timeout=SECONDS, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "order-18\n"), done.stderr)
        self.store = f"postgres:///missions?host={self.server_folder}&user=ptc"
        self.at = ("--store", self.store)
        self.assertEqual(self.status(), {"order-18": "ready"})
        process = subprocess.Popen(["bash", "-c", worker.replace("ptcc", f"exec '{ptcc_test.PTCC}'", 1)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        wait_until(lambda: self.status() == {"order-18": "done"}, "the mission")
        self.assertEqual(self.results(), {"order-18": 18})
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 0)


class Threads(OnPostgres, Stored):
    def test_four_connections_write_for_all_of_them(self):
        """While these wait, here for a lock that somebody else has: the others' commits go with the next that is free."""
        agent = self.agent_file(prompt="x", replies=["(return 1)"])
        for n in range(7):
            self.submit(agent, "--id", str(n))
        other = subprocess.Popen(["psql", "-X", "-q", "-d", self.store], stdin=subprocess.PIPE, text=True)
        self.addCleanup(other.communicate)
        other.stdin.write(f"BEGIN; LOCK TABLE {self.schema}.call IN SHARE MODE;\n")
        other.stdin.flush()
        def locks(mode, is_granted):
            return int(self.sql(f"SELECT count(DISTINCT pid) FROM pg_locks WHERE relation = '{self.schema}.call'::regclass AND mode = '{mode}' AND "
                                f"granted = {is_granted}")[0][0])
        wait_until(lambda: locks("ShareLock", True) == 1, "the lock")
        self.worker("--quiet", "--threads", "7")
        wait_until(lambda: locks("RowExclusiveLock", False) == 4, "the connections")
        other.stdin.write("COMMIT;\n")
        other.stdin.flush()
        wait_until(lambda: set(self.status().values()) == {"done"}, "the missions")

    def test_a_lock_that_stays_ends_a_worker_that_somebody_waits_for(self):
        """The time that the statement waited for the lock counts: it is tried once."""
        self.submit(self.agent_file(prompt="x", replies=["(def a 1)", "(return a)"]), "--id", "a")
        other = subprocess.Popen(["psql", "-X", "-q", "-d", self.store], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(other.communicate)
        other.stdin.write(f"BEGIN; LOCK TABLE {self.schema}.snapshot IN SHARE MODE;\n\\echo locked\n")
        other.stdin.flush()
        self.assertEqual(other.stdout.readline(), "locked\n")
        done = ptcc("worker", *self.at, "--until-empty", "--give-up-ms", "1500")
        self.assertEqual(done.returncode, 1, done.stderr)
        *log, last = done.stderr.splitlines()
        self.assertRegex(last, "^ptcc: The store cannot be used: .*statement timeout")
        self.assertEqual([line["event"] for line in map(json.loads, log) if line["level"] == "error"], ["commit"])


class Pooler(OnPostgres, Stored):
    """PgBouncer in transaction mode: fewer sessions than clients, each handed from one to the next."""

    def setUp(self):
        super().setUp()
        if not shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin"):
            self.skipTest("PgBouncer is not installed (Debian: pgbouncer)")

    def start(self, ignored="options"):
        """The URL of the store through it."""
        folder = self.server_folder
        owner = os.stat(os.path.join(folder, "data"))
        settings = os.path.join(folder, "pgbouncer.ini")
        with open(settings, "w", encoding="utf-8") as out:
            out.write(f"""[databases]
postgres = host={folder} dbname=postgres user=ptc
[pgbouncer]
unix_socket_dir = {folder}
listen_port = 6432
auth_type = any
pool_mode = transaction
default_pool_size = 3
ignore_startup_parameters = {ignored}
""")
        os.chmod(settings, 0o644)
        become = {} if os.geteuid() != 0 else {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
        pooler = subprocess.Popen(["pgbouncer", settings], env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"}, stderr=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, **become)
        self.addCleanup(pooler.wait)
        self.addCleanup(pooler.kill)
        wait_until(lambda: os.path.exists(os.path.join(folder, ".s.PGSQL.6432")) or pooler.poll() is not None, "the pooler")
        return self.store + "&port=6432"

    def test_workers_carry_missions_through_it(self):
        through = self.start()
        chaos = Chaos(self.folder, through, seed=8)
        chaos.submit(40)
        missions = chaos.run(workers=4, kills=6)
        self.assertEqual(self.sql("SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = 'ptc' AND pid <> pg_backend_pid()"), [["t"]])
        self.assertLessEqual(int(self.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ptc' AND pid <> pg_backend_pid()")[0][0]), 3)
        chaos.check(self, missions)

    def test_what_it_does_not_take_is_told_with_what_helps(self):
        self.check(ptcc("missions", "--store", self.start(ignored="extra_float_digits")), 2, "", "`ignore_startup_parameters = options`")


if __name__ == "__main__":
    ptcc_test.PTCC = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
