#!/usr/bin/env python3
"""ptcc works inside of the fences that it puts around itself: confinement_test.py PTCC [unittest's arguments]. What they keep
from it is in confinement_test.cpp."""
import json
import os
import subprocess
import sys
import unittest

import ptcc_test
from ptcc_test import Case, ptcc

class Confinement(Case):
    def setUp(self):
        super().setUp()
        why = ptcc("eval", "--require-sandbox", "1").stderr
        if "confine" in why:
            self.skipTest(why) # a build with sanitizers, or a kernel without landlock

    def status(self, *arguments, first=""):
        """What the system says of a process that waits for the rest of its input."""
        process = subprocess.Popen([ptcc_test.PTCC, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            process.stdin.write(first)
            process.stdin.flush()
            if first:
                self.assertTrue(process.stdout.readline()) # it is at work
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
                return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        finally:
            process.stdin.close()
            process.wait()
            process.stdout.close()
            process.stderr.close()

    def test_a_batch_has_a_filter_and_no_way_to_new_rights(self):
        status = self.status("eval", "--batch", first=json.dumps({"id": 1, "src": "1"}) + "\n")
        self.assertEqual((status["Seccomp"], status["NoNewPrivs"]), ("2", "1"))

    def test_programs_and_their_data_work_inside_of_it(self):
        data = self.file("d.json", "[1, 2, 3]")
        program = self.file("p.ptc", "(pmap inc data/xs)")
        self.check(ptcc("run", "--require-sandbox", program, "--data", "xs=" + data), 0, "[2 3 4]\n", "")
        self.check(ptcc("eval", "--require-sandbox", "(count data/xs)", "--data", "xs=" + data), 0, "3\n", "")
        self.check(ptcc("check", "--require-sandbox", program, "--data", "xs=" + data), 0, "", "")
        self.check(ptcc("run", "--require-sandbox", "-", stdin="(+ 1 2)"), 0, "3\n", "")
        self.check(ptcc("run", "--require-sandbox", "/dev/stdin", stdin="(+ 1 2)"), 0, "3\n", "")

    def test_what_is_named_by_its_number_stays_open(self):
        read, write = os.pipe()
        os.write(write, b"(+ 1 2)")
        os.close(write)
        done = subprocess.run([ptcc_test.PTCC, "run", "--require-sandbox", f"/dev/fd/{read}"], pass_fds=[read], capture_output=True, text=True)
        os.close(read)
        self.assertEqual((done.returncode, done.stdout), (0, "3\n"), done.stderr)

    def test_a_missing_file_is_reported_as_one(self):
        self.check(ptcc("run", "--require-sandbox", os.path.join(self.folder, "none.ptc")), 2, "", "No such file")


if __name__ == "__main__":
    ptcc_test.PTCC = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
