#!/usr/bin/env python3
"""Broken programs, mended by nothing but the edits of their diagnostics: repair_test.py PTCC [FILE.jsonl ..]

A row is {"id", "src", "meant", "value", "silent"?}: a program as a model may write it, the program that was meant, and the value of
that one (with "return:" or "fail:" in front when it ends so). Each round checks and runs the program; the edits of all its
static errors are applied together, or those of the error that the run ends in. Done when it runs; it must give the value.
The same again with the edits of the first error only. A
row that is `silent` runs and gives something else: the edits of its warnings mend it at once. `not_yet.txt` lists the rows that do not give it, each with a reason;
a row that is listed and works is an error too. Nine rows in ten must work.
A row that is `kept` has no "meant": the program is right, though it looks like one that is not, and gets no edit.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 5
MAX_TEXT = 1000  # bytes of message and hint together
TOOLS = {
    "echo": {},
    "add": {"signature": "(x :any, y :any) -> :any"},
    "boom": {},
    "users": {"signature": "() -> [{id :int, name :string, age :int}]"},
}


class Ptcc:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        with open(os.path.join(HERE, "context.json"), encoding="utf-8") as context:
            self.context = json.load(context)
        self.tools = os.path.join(folder, "tools.json")
        with open(self.tools, "w", encoding="utf-8") as out:
            json.dump(TOOLS, out)
        self.data = []
        for name, value in self.context.items():
            path = os.path.join(folder, name + ".json")
            with open(path, "w", encoding="utf-8") as out:
                json.dump(value, out)
            self.data += ["--data", name + "=" + path]

    def run(self, *arguments, stdin=""):
        done = subprocess.run([self.program, *arguments], input=stdin, capture_output=True, text=True, timeout=120)
        if done.stderr:
            sys.exit(done.stderr)
        return done.stdout

    def evaluate(self, programs):
        """The answers of eval --batch."""
        requests = [json.dumps({"id": i, "src": src, "context": self.context}) for i, src in enumerate(programs)]
        out = self.run("eval", "--batch", "--test-tools", "--timeout-ms", "60000", stdin="\n".join(requests) + "\n")
        return [json.loads(line) for line in out.splitlines()]

    def check(self, programs, severity="error"):
        """The errors of each, in the order that check gives them; or the warnings, with the data known."""
        paths = []
        for i, src in enumerate(programs):
            paths.append(os.path.join(self.folder, f"{i}.ptc"))
            with open(paths[-1], "w", encoding="utf-8", newline="") as out:
                out.write(src)
        errors = {path: [] for path in paths}
        for at in range(0, len(paths), 200):
            data = self.data if severity == "warning" else []
            out = self.run("check", "--format", "json", "--tools", self.tools, *data, *paths[at:at + 200])
            for diagnostic in json.loads(out)["diagnostics"]:
                if diagnostic["severity"] == severity:
                    errors[diagnostic["file"]].append(diagnostic)
        return [errors[path] for path in paths]


def apply(src, edits):
    """The text with the edits, None when they overlap or lie outside of it."""
    text = src.encode()
    out, at = b"", 0
    for edit in sorted(edits, key=lambda e: (e["offset"], e["length"])):
        begin, end = edit["offset"], edit["offset"] + edit["length"]
        if begin < at or end > len(text):
            return None
        out += text[at:begin] + edit["text"].encode()
        at = end
    return (out + text[at:]).decode("utf-8", "strict")


def value_of(answer):
    if answer["outcome"] == "error":
        return None
    return answer["value"] if answer["outcome"] == "ok" else answer["outcome"] + ":" + answer["value"]


def choose(static, answer, first_only):
    if not static:
        return answer["error"].get("edits", [])
    with_edits = [error["edits"] for error in static if error.get("edits")]
    if first_only:
        return with_edits[0] if with_edits else []
    return [edit for edits in with_edits for edit in edits]


def bounds(error):
    """What is wrong with an error by itself, None for nothing."""
    if len(error["message"].encode()) + len((error.get("hint") or "").encode()) > MAX_TEXT:
        return "an error's text is too long"
    if error.get("offset") is None or error.get("length") is None:
        return "an error without a span"
    return None


def mend(ptcc, rows, first_only):
    """Why each row fails, None when it gives its value."""
    texts = [row["src"] for row in rows]
    why = ["more than %d rounds" % ROUNDS] * len(rows)
    live = list(range(len(rows)))
    for _ in range(ROUNDS + 1):
        answers = ptcc.evaluate([texts[i] for i in live])
        errors = ptcc.check([texts[i] for i in live])
        still = []
        for i, answer, static in zip(live, answers, errors):
            value = value_of(answer)
            if value is not None:
                why[i] = None if value == rows[i]["value"] else "gives " + value[:100]
                continue
            wrong = next(filter(None, map(bounds, static or [answer["error"]])), None)
            edits = choose(static, answer, first_only)
            text = apply(texts[i], edits)
            if wrong or text is None or not edits or text == texts[i]:
                message = (static or [answer["error"]])[0]["message"]
                why[i] = wrong or ("no edit for: " if not edits else "edits do not fit together: ") + message[:100]
                continue
            texts[i] = text
            still.append(i)
        live = still
        if not live:
            break
    return why, texts


def mend_silent(ptcc, rows):
    """Why each row fails that runs and gives another value than its author thinks: the edits of its warnings."""
    texts, why = [], []
    for row, warnings in zip(rows, ptcc.check([row["src"] for row in rows], "warning")):
        texts.append(apply(row["src"], [e for w in warnings for e in w.get("edits", [])]) or row["src"])
    for row, answer in zip(rows, ptcc.evaluate(texts)):
        value = value_of(answer)
        why.append(None if value == row["value"] else "gives %s" % value)
    return why, texts


def check_kept(ptcc, rows):
    """Right programs that an edit would make others."""
    bad = []
    programs = [row["src"] for row in rows]
    for row, answer, warnings in zip(rows, ptcc.evaluate(programs), ptcc.check(programs, "warning")):
        if value_of(answer) != row["value"]:
            bad.append(f"{row['id']}: gives {value_of(answer)}, not {row['value']}")
        for warning in warnings:
            if warning.get("edits"):
                bad.append(f"{row['id']}: is right, and gets an edit: {warning['message']}")
    return bad


def read_rows(files):
    rows = []
    for path in files:
        with open(path, encoding="utf-8") as lines:
            rows += [json.loads(line) for line in lines if line.strip()]
    return rows


def read_not_yet():
    listed = {}
    with open(os.path.join(HERE, "not_yet.txt"), encoding="utf-8") as lines:
        for line in lines:
            name, _, reason = line.strip().partition(" ")
            if name and not name.startswith("#"):
                listed[name] = reason
    return listed


def check_rows(ptcc, rows):
    """The corpus itself: what was meant must give the value, and what is broken must not."""
    bad = []
    for row, answer in zip(rows, ptcc.evaluate([row["meant"] for row in rows])):
        if value_of(answer) != row["value"]:
            bad.append(f"{row['id']}: what was meant gives {value_of(answer)}, not {row['value']}")
    for row, answer in zip(rows, ptcc.evaluate([row["src"] for row in rows])):
        broken = value_of(answer) != row["value"] if row.get("silent") else answer["outcome"] == "error"
        if not broken:
            bad.append(f"{row['id']}: it is not broken")
    if len({row["id"] for row in rows}) != len(rows):
        bad.append("two rows have the same id")
    return bad


def main():
    files = sys.argv[2:] or sorted(glob.glob(os.path.join(HERE, "*.jsonl")))
    rows = read_rows(files)
    listed = read_not_yet()
    with tempfile.TemporaryDirectory() as folder:
        ptcc = Ptcc(sys.argv[1], folder)
        kept = [row for row in rows if row.get("kept")]
        rows = [row for row in rows if not row.get("kept")]
        problems = check_kept(ptcc, kept) + check_rows(ptcc, rows)
        failed = set()
        silent = [row for row in rows if row.get("silent")]
        rows = [row for row in rows if not row.get("silent")]
        for row, reason, text in zip(silent, *mend_silent(ptcc, silent)):
            if reason:
                problems.append(f"{row['id']}: {reason}\n  from {row['src']!r}\n    to {text!r}")
        for mode in ("all errors at once", "the first error"):
            why, texts = mend(ptcc, rows, mode == "the first error")
            working = why.count(None)
            print(f"{mode}: {working} of {len(rows)} rows give their value")
            if working * 10 < len(rows) * 9:
                problems.append(f"{mode}: fewer than nine rows in ten work")
            for row, reason, text in zip(rows, why, texts):
                if reason:
                    failed.add(row["id"])
                if reason and row["id"] not in listed:
                    problems.append(f"{row['id']} ({mode}): {reason}\n  from {row['src']!r}\n    to {text!r}")
    problems += [f"{name} works: take it off not_yet.txt" for name in listed
                 if name not in failed and name in {row["id"] for row in rows}]
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
