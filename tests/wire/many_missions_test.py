#!/usr/bin/env python3
"""Missions by the hundred over HTTP on one thread: many_missions_test.py MANY_MISSIONS [MISSIONS [AT_ONCE [loop|threads]]].

With numbers it only measures: 1000 1000 is a thousand missions at once, `threads` gives each a thread, for comparison."""
import json
import subprocess
import sys
import unittest

from fake_provider import Fake, always, say
from wire_case import fenced

PROGRAM = sys.argv.pop(1)


def turn(connection, request, dialect):
    """The first request of a mission, or its second."""
    is_first = len(request.body["messages"]) < 4
    say(fenced("(def n 5)" if is_first else "(return (+ n 7))"))(connection, request, dialect)


def run(missions, at_once, how="loop"):
    """What the program says, and how many connections it made."""
    with Fake("openai", always(turn), "sk-test-key") as fake:
        done = subprocess.run([PROGRAM, fake.url, str(missions), str(at_once), how], stdout=subprocess.PIPE, check=True, timeout=600)
        return {**json.loads(done.stdout), "connections": fake.connections, "requests": len(fake.requests), "refused": fake.refused[:3]}


class ManyMissions(unittest.TestCase):
    def test_on_one_thread_in_flat_memory(self):
        few, many = run(200, 100), run(800, 100)
        for figures, missions in ((few, 200), (many, 800)):
            self.assertEqual((figures["ok"], figures["requests"]), (missions, 2 * missions), figures)
            self.assertEqual((figures["threads"], figures["refused"]), (1, []), figures)
            self.assertLessEqual(figures["connections"], 200, figures)  # connections are kept
        self.assertLess(many["kib_more"], 1.5 * few["kib_more"] + 2048, (few, many))


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        print(json.dumps(run(*sys.argv[1:])))
    else:
        unittest.main()
