#!/usr/bin/env python3
"""Workers that are killed at random, and stopped beyond their leases, and servers that are restarted under them: every mission ends with the
result that it has undisturbed, every keyed effect is there once, no lease was lost or doubled, and nothing is left behind.

  chaos_test.py PTCC [unittest's arguments]
  chaos_test.py PTCC --missions N [--workers N] [--store URL] [--seed N]     a larger run, which prints its figures
"""
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

import ptcc_test
from agent_test import PROGRAM, fenced
from ptcc_test import SECONDS, ptcc
from store_test import PAY, OnPostgres, Stored

LEASE = "1500" # milliseconds: what was killed is taken up soon


class Chaos:
    """Missions of three agents, the workers that carry them, and what is known of both."""

    def __init__(self, folder, store, seed):
        self.folder, self.store, self.random = folder, store, random.Random(seed)
        named = re.search(r"search_path%3D(\w+)", store)
        self.schema = named[1] if named else "ptc"
        self.watches_leases = False
        self.leases_over = 0
        self.world = os.path.join(folder, "world.db")
        self.expected, self.paid = {}, {} # what missions give, and what they pay
        self.workers = []
        self.kills = 0
        with open(os.path.join(folder, "pay.py"), "w", encoding="utf-8") as out:
            out.write(PROGRAM % "".join("    " + line + "\n" for line in (PAY % self.world).splitlines()))
        pay = {"signature": "(n :int) -> :int", "cmd": ["python3", "-S", os.path.join(folder, "pay.py")]}
        # Tools and programs have a limit that no busy machine meets (--timeout-ms of submit, too).
        child = {"agent": {"prompt": "Double {{n}}.", "signature": "(n :int) -> :int", "mission_timeout": 480000, "timeout": 240000},
                 "llm": [fenced("(def d (* 2 data/n))"), fenced("(return d)")]}
        common = {"mission_timeout": 480000, "timeout": 240000}
        self.agents = {
            "plain": {"prompt": "x", "signature": "(n :int) -> :any", "tools": {"pay": pay, "double": child}, **common, "llm": [
                fenced("(def paid (pmap (fn [k] (tool/pay {:n (+ data/n k)})) [0 1 2]))"), fenced("(def twice (tool/double {:n data/n}))"),
                fenced("(return [(reduce + paid) twice (tool/pay {:n data/n})])")]},
            "asks": {"prompt": "x", "signature": "(n :int) -> :any", "tools": {"pay": {**pay, "approval": True}}, **common, "llm": [
                fenced("(def before data/n)"), fenced("(return [before (tool/pay {:n before})])")]},
            "waits": {"prompt": "x", "signature": "(n :int) -> :any", **common, "tools": {
                "triple": {"mission": {"prompt": "Triple {{n}}.", "signature": "(n :int) -> :int", "tools": {"pay": pay}, **common},
                           "llm": [fenced("(def three (* 3 data/n))"), fenced("(return (tool/pay {:n three}))")]},
                "ask": {"signature": "(n :int) -> :int", "outside": True}, "nap": {"signature": "() -> :any", "outside": True, "within_ms": 200}},
                "llm": [fenced("(def all (pcalls #(tool/triple {:n data/n}) #(tool/ask {:n data/n}) #(tool/nap {})))"), fenced("(return all)")]}}
        for name, row in self.agents.items():
            with open(self.agent(name), "w", encoding="utf-8") as out:
                json.dump(row, out)

    def agent(self, name):
        return os.path.join(self.folder, name + ".json")

    def submit(self, count):
        lines = {kind: [] for kind in self.agents}
        for n in range(count):
            kind = {4: "asks", 3: "waits"}.get(n % 5, "plain")
            name = f"{kind}-{n}"
            delay = self.random.choice([0, 0, 0, 500])
            lines[kind].append(json.dumps({"id": name, "context": {"n": n}, "queue": f"q{n % 3}", "delay_ms": delay}) + "\n")
            self.expected[name] = {"asks": [n, 10 * n], "waits": [30 * n, n + 1000, None], "plain": [30 * n + 30, 2 * n, 10 * n]}[kind]
            self.paid[name] = {"asks": [n], "waits": [3 * n], "plain": [n, n + 1, n + 2, n]}[kind]
        for kind, text in lines.items():
            done = ptcc("submit", "--store", self.store, "--agent", self.agent(kind), "--timeout-ms", "240000", "--missions", "-",
                        stdin="".join(text))
            assert done.returncode == 0, done.stderr

    def sql(self, text):
        """Rows of texts, as whoever has the database reads them."""
        if self.store.startswith("sqlite:"):
            with sqlite3.connect(self.store[7:]) as store:
                return [[str(cell) for cell in row] for row in store.execute(text)]
        done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", self.store, "-c", text],
                              capture_output=True, text=True, timeout=SECONDS, check=False)
        assert done.returncode == 0, done.stderr
        return [line.split("\t") for line in done.stdout.splitlines()]

    def watch_leases(self):
        """Has PostgreSQL write down each change of a claim and of a revision, in the transaction that makes it."""
        self.sql(f"""CREATE TABLE {self.schema}.lease_log (mission text, old_token text, new_token text, old_revision bigint, new_revision bigint,
                         is_taken_away boolean, early_ms numeric);
            CREATE FUNCTION {self.schema}.log_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO {self.schema}.lease_log VALUES (NEW.id, OLD.token, NEW.token, OLD.revision, NEW.revision, NEW.losses > OLD.losses,
                    OLD.wake_at - extract(epoch from clock_timestamp()) * 1000);
                RETURN NULL;
            END $$;
            CREATE TRIGGER log_lease AFTER UPDATE ON {self.schema}.mission FOR EACH ROW
                WHEN (OLD.token IS DISTINCT FROM NEW.token OR OLD.revision <> NEW.revision) EXECUTE FUNCTION {self.schema}.log_lease()""")
        self.watches_leases = True

    def check_leases(self, test):
        """None was doubled, none was taken before it was over, none is left, and nothing was written without one."""
        def count(condition):
            return int(self.sql(f"SELECT count(*) FROM {self.schema}.lease_log WHERE {condition}")[0][0])
        test.assertEqual(count("old_token IS NOT NULL AND new_token IS NOT NULL AND old_token <> new_token"), 0, "doubled")
        test.assertEqual(count("is_taken_away AND early_ms >= 1"), 0, "taken away") # the store's clock is of whole milliseconds
        test.assertEqual(count("new_revision <> old_revision AND (new_revision <> old_revision + 1 OR old_token IS NULL)"), 0, "without a lease")
        self.leases_over = count("is_taken_away")
        claims = count("old_token IS NULL AND new_token IS NOT NULL")
        test.assertGreaterEqual(claims, len(self.expected))
        test.assertEqual(count("old_token IS NOT NULL AND new_token IS NULL"), claims, "left")
        test.assertEqual(self.sql(f"SELECT count(*), count(DISTINCT new_token) FROM {self.schema}.lease_log WHERE old_token IS NULL AND "
                                  "new_token IS NOT NULL"), [[str(claims)] * 2])

    def check_tables(self, test):
        """Of all tables only those have rows that say what the store is and which agents it knows."""
        is_sqlite = self.store.startswith("sqlite:")
        names = self.sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'" if is_sqlite else
                         f"SELECT tablename FROM pg_tables WHERE schemaname = '{self.schema}'")
        tables = {name for [name] in names} - {"lease_log"}
        test.assertLessEqual({"mission", "snapshot", "call", "context", "lane", "tally", "effect", "outbox", "data", "agent", "meta"}, tables)
        prefix = "" if is_sqlite else self.schema + "."
        rows = {table: int(self.sql(f"SELECT count(*) FROM {prefix}{table}")[0][0]) for table in tables}
        test.assertEqual({table: count for table, count in rows.items() if count > 0}, {"agent": len(self.agents) + 1, "meta": rows["meta"]})

    def effects(self):
        """Keyed calls that the missions make."""
        return sum(len(paid) for paid in self.paid.values())

    def start(self, *arguments, env=None):
        with open(os.path.join(self.folder, f"worker-{self.kills}.log"), "ab") as log:
            return subprocess.Popen([ptcc_test.PTCC, "worker", "--store", self.store, "--lease-ms", LEASE, "--poll-ms", "50", *arguments],
                                    stderr=log, env=env)

    def missions(self):
        done = ptcc("missions", "--store", self.store, "--json")
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def commits(self):
        prefix = "" if self.store.startswith("sqlite:") else self.schema + "."
        return int(self.sql(f"SELECT COALESCE(sum(revision), 0) FROM {prefix}mission")[0][0])

    def run(self, workers, kills, stop=False, patience=SECONDS, restart=None, commits_between=0):
        """Kills (or stops for longer than a lease) one of the workers again and again, or calls `restart`; approves what waits; until all is
        over. `commits_between`: the least from one to the next. On a machine that is so busy that nobody gets anywhere in between, missions
        would be worn out, as twenty workers in a row were lost under them."""
        next_at = 0
        self.workers = [self.start() for _ in range(workers)]
        end = time.monotonic() + patience
        try:
            while True:
                missions = self.missions()
                open_ones = [m for m in missions if m["status"] not in ("done", "failed", "cancelled")]
                if not open_ones:
                    return missions
                if time.monotonic() > end:
                    raise AssertionError(f"{len(open_ones)} missions are not over, e.g. {open_ones[0]}")
                for mission in open_ones:
                    for call in mission.get("waits_for", []):
                        self.answer(mission["id"], call)
                time.sleep(self.random.uniform(0.05, 0.4))
                if self.kills < kills and (not commits_between or self.commits() >= next_at):
                    self.disturb(stop, restart)
                    next_at = self.commits() + commits_between if commits_between else 0
        finally:
            for worker in self.workers:
                worker.kill()
                worker.wait()

    def answer(self, mission, call):
        """An approval, and what a tool that is none of the workers' gives; the first answer stays."""
        at = (mission, "--store", self.store, "--need", str(call["need"]))
        if "answered_by" not in call:
            ptcc("missions", "approve", *at)
        elif call["tool"] == "ask":
            ptcc("missions", "answer", *at, "--result", str(call["arguments"]["n"] + 1000))

    def disturb(self, stop, restart=None):
        if restart:
            self.kills += 1
            return restart(self.kills)
        place = self.random.randrange(len(self.workers))
        worker = self.workers[place]
        self.kills += 1
        if stop:
            worker.send_signal(signal.SIGSTOP)
            time.sleep(float(LEASE) / 1000 + 0.5)
            worker.send_signal(signal.SIGCONT)
        else:
            worker.kill()
            worker.wait()
            self.workers[place] = self.start()

    def check(self, test, missions):
        given = {m["id"]: m.get("result", m.get("error")) for m in missions}
        wrong = {name: (given.get(name), result) for name, result in self.expected.items() if given.get(name) != result}
        test.assertEqual(wrong, {}, "what they gave, and what they should have")
        with sqlite3.connect(self.world) as world:
            test.assertEqual(world.execute("SELECT count(*), count(DISTINCT key) FROM effect").fetchone(), (self.effects(),) * 2)
            paid = world.execute("SELECT sum(n) FROM effect").fetchone()[0]
        counted = ptcc("store", "check", "--store", self.store) # the sums that are kept
        rows = [json.loads(line) for line in counted.stdout.splitlines()]
        test.assertEqual((counted.returncode, {row["status"] for row in rows}, sum(row["missions"] for row in rows)), (0, {"done"}, len(missions)),
                         counted.stderr)
        test.assertEqual(paid, sum(map(sum, self.paid.values())))
        children = sum(name.startswith("waits") for name in self.expected)
        test.assertEqual(len(missions), len(self.expected) + children)
        if self.watches_leases:
            self.check_leases(test)
        done = ptcc("worker", "--store", self.store, "--until-empty") # finds nothing, so that all lanes rest
        test.assertEqual(done.returncode, 0, done.stderr)
        done = ptcc("missions", "prune", "--store", self.store)
        test.assertEqual((done.returncode, done.stdout), (0, f"{len(missions)}\n"), done.stderr)
        test.assertEqual(self.missions(), [])
        self.check_tables(test)


class Sqlite(Stored):
    def chaos(self, missions, workers, kills, seed, stop=False):
        chaos = Chaos(self.folder, self.store, seed)
        chaos.submit(missions)
        chaos.check(self, chaos.run(workers, kills, stop))

    def test_workers_killed_at_random(self):
        self.chaos(missions=40, workers=3, kills=12, seed=1)

    def test_a_worker_stopped_beyond_its_lease(self):
        self.chaos(missions=20, workers=2, kills=3, seed=2, stop=True)


class Postgres(OnPostgres, Stored):
    """The same on a server of the tests' own."""
    schema = "chaos"

    def chaos(self, missions, seed):
        chaos = Chaos(self.folder, self.store, seed)
        chaos.submit(missions)
        chaos.watch_leases()
        return chaos

    def test_workers_killed_at_random(self):
        chaos = self.chaos(40, seed=3)
        chaos.check(self, chaos.run(workers=3, kills=12))

    def test_a_worker_stopped_beyond_its_lease(self):
        chaos = self.chaos(20, seed=4)
        chaos.check(self, chaos.run(workers=2, kills=3, stop=True))

    def test_a_server_restarted_under_load(self):
        chaos = self.chaos(60, seed=6)

        def restart(number):
            """In turn at once, as when its machine fails, and as whoever operates it does."""
            self.server.stdin.write("fast\n" if number % 2 == 0 else "immediate\n")
            self.server.stdin.flush()
            self.assertEqual(self.server.stdout.readline(), "restarted\n")
            self.assertEqual([worker.poll() for worker in chaos.workers], [None] * 3)
        chaos.check(self, chaos.run(workers=3, kills=8, restart=restart))
        self.assertGreaterEqual(chaos.kills, 2)

    @unittest.skipUnless(os.environ.get("SKEWED_CLOCK"), "sanitizers have to be loaded first")
    def test_clocks_of_workers_that_differ_by_ten_minutes(self):
        """Leases, deadlines and times go by the database's clock: nobody takes what another one has, and nobody is late."""
        chaos = self.chaos(30, seed=5)
        skews = {"-600": None, "0": None, "600": None}
        for skew in skews:
            env = {**os.environ, "LD_PRELOAD": os.environ["SKEWED_CLOCK"], "SKEW_SECONDS": skew}
            log = os.path.join(self.folder, f"skew{skew}.log")
            with open(log, "wb") as out:
                worker = subprocess.Popen([ptcc_test.PTCC, "worker", *self.at, "--lease-ms", LEASE, "--poll-ms", "50", "--concurrency", "4"],
                                          stderr=out, env=env)
            self.addCleanup(worker.wait)
            self.addCleanup(worker.kill)
            skews[skew] = log
        chaos.check(self, chaos.run(workers=0, kills=0))
        events, begins = {}, []
        for skew, log in skews.items():
            with open(log, encoding="utf-8") as lines:
                rows = [json.loads(line) for line in lines]
            events[skew] = {row["event"] for row in rows}
            begins.append(rows[0]["time_ms"])
        self.assertGreater(min(begins[1] - begins[0], begins[2] - begins[1]), 300_000, "the library does not work")
        self.assertEqual([skew for skew, seen in events.items() if "lease lost" in seen], [])
        self.assertTrue(all("done" in seen for seen in events.values()), events)


def larger_run(arguments):
    given = dict(zip(arguments[::2], arguments[1::2]))
    count, workers = int(given["--missions"]), int(given.get("--workers", "4"))
    with tempfile.TemporaryDirectory() as folder:
        chaos = Chaos(folder, given.get("--store", "sqlite:" + os.path.join(folder, "missions.db")), int(given.get("--seed", "1")))
        start = time.monotonic()
        chaos.submit(count)
        if not chaos.store.startswith("sqlite:"):
            chaos.watch_leases()
        submitted = time.monotonic()
        missions = chaos.run(workers, kills=count, patience=36000, commits_between=count // 20)
        end = time.monotonic()
        chaos.check(unittest.TestCase(), missions)
        print(f"{count} missions, {chaos.effects()} keyed effects, {workers} workers, {chaos.kills} killed: submitted in "
              f"{submitted - start:.1f} s, carried in {end - submitted:.1f} s; every result and effect as expected, "
              f"{f'{chaos.leases_over} leases ran out, none lost or doubled, ' if chaos.watches_leases else ''}nothing left behind")


if __name__ == "__main__":
    ptcc_test.PTCC = os.path.abspath(sys.argv[1])
    if "--missions" in sys.argv:
        larger_run(sys.argv[2:])
    else:
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
