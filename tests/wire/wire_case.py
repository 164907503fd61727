"""What the tests of ptcc against fake providers have in common."""
import concurrent.futures
import json
import os
import subprocess
import sys
import threading
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import ptcc_test  # noqa: E402
from ptcc_test import SECONDS  # noqa: E402
from fake_provider import Fake  # noqa: E402

PROVIDERS = ("openai", "anthropic", "gemini")


class Done:
    """What came of a run: `step` of --step, the outputs, the highest memory in bytes."""

    def __init__(self, code, out, err, usage):
        self.code, self.out, self.err = code, out, err
        self.memory = usage.ru_maxrss * 1024
        try:
            self.step = json.loads(out) if out.startswith('{"ok"') else None
        except ValueError:
            self.step = None

    returncode = property(lambda self: self.code)
    stdout = property(lambda self: self.out)
    stderr = property(lambda self: self.err)

    @property
    def kind(self):
        """Of the model's error, and how often it was asked."""
        details = ((self.step or {}).get("fail") or {}).get("details") or {}
        return details.get("kind"), details.get("attempts")

    def __str__(self):
        return f"exit {self.code}\n{self.out[:2000]}\n{self.err[:2000]}"


def run_ptcc(arguments, environment, folder, under=()):
    """Of a run of ptcc, by the command `under` if it is given."""
    with open(os.path.join(folder, "out"), "w+b") as out, open(os.path.join(folder, "err"), "w+b") as err:
        process = subprocess.Popen([*under, ptcc_test.PTCC, *ptcc_test.patient(*arguments)], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   env=environment, cwd=folder)
        watchdog = threading.Timer(SECONDS, process.kill)
        watchdog.start()
        _, status, usage = os.wait4(process.pid, 0)
        if not watchdog.is_alive():
            raise AssertionError(f"ptcc hangs: {arguments}")
        watchdog.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    return Done(process.returncode, *texts, usage)


class Wire(ptcc_test.Case):
    def setUp(self):
        super().setUp()
        self.key = "sk-" + uuid.uuid4().hex

    def environment(self, fake, **more):
        """Of a machine that knows one provider: no other key, no proxy."""
        own = {name: value for name, value in os.environ.items()
               if not name.lower().endswith("_proxy") and not name.startswith(("OPENAI_", "OPENROUTER_", "OLLAMA_", "ANTHROPIC_", "GEMINI_", "GOOGLE_"))}
        return {**own, fake.dialect.key_variable: self.key, fake.dialect.url_variable: fake.url, **more}

    def agent(self, fake, *arguments, environment=None, check_key=True, under=()):
        """A mission with the fake's model, in a folder of its own; the key is nowhere in what it leaves."""
        folder = os.path.join(self.folder, uuid.uuid4().hex)
        os.mkdir(folder)
        model = () if "--llm" in arguments else ("--llm", f"{fake.dialect.name}:test-model")
        prompt = () if "--agent" in arguments else ("--prompt", "How many?")
        if "--agent" in arguments and "--mission-timeout-ms" not in arguments:
            prompt = ("--mission-timeout-ms", "480000")  # as ptcc_test.patient has it for missions without a file
        done = run_ptcc(["agent", "--step", "--trace", "trace.jsonl", *prompt, *model, *arguments], environment or self.environment(fake), folder, under)
        done.folder = folder
        if check_key:
            self.check_secret(folder)
        return done

    def check_secret(self, folder):
        for path, _, names in os.walk(folder):
            for name in names:
                with open(os.path.join(path, name), "rb") as file:
                    self.assertNotIn(self.key.encode(), file.read(), f"the key is in {name}")

    def fake(self, provider, script, **options):
        return Fake(provider, script, "" if provider == "ollama" else self.key, **options)

    def mission(self, provider, script, *arguments, refused=False, **options):
        """Runs the script to its end: (what came of it, the requests). The fake takes every request unless `refused`."""
        with self.fake(provider, script) as fake:
            done = self.agent(fake, *arguments, **options)
            if not refused:
                self.assertEqual(fake.refused, [], f"{provider}: {done}")
            return done, fake.requests

    def result(self, done):
        self.assertIsNotNone(done.step, str(done))
        self.assertTrue(done.step["ok"], str(done))
        return done.step["return"]

    def each(self, cases, check):
        """check(*case) for all of them, side by side, as most of them wait."""
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            futures = [(case, pool.submit(check, *case)) for case in cases]
        for case, future in futures:
            with self.subTest(str([getattr(part, "__name__", part) for part in case])):
                future.result()

    def tools(self, **tools):
        return self.file(uuid.uuid4().hex, json.dumps(tools))


def fenced(program):
    return "```clojure\n" + program + "\n```"


def main():
    ptcc_test.PTCC = os.path.realpath(sys.argv.pop(1))
    import unittest
    unittest.main(module="__main__")
