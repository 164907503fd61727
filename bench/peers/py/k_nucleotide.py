"""K-nucleotide: frequencies of all substrings of several lengths of a DNA text, counted in dicts."""
from collections import Counter

PATTERNS = ("GGT", "GGTA", "GGTATT", "GGTATTTTAATT", "GGTATTTTAATTTATAGT")


def count_frames(dna, size):
    return Counter(dna[i : i + size] for i in range(len(dna) - size + 1))


def shares(dna, size):
    counts = count_frames(dna, size)
    total = sum(counts.values())
    for frame, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield f"{frame} {100000 * n // total}"


def hash_text(h, text):
    for byte in text.encode():
        h = (h * 31 + byte) % 1000000007
    return h


def run(data):
    dna = data["dna"].upper()
    lines = [*shares(dna, 1), *shares(dna, 2)]
    lines += [f"{count_frames(dna, len(pattern))[pattern]} {pattern}" for pattern in PATTERNS]
    h = 7
    for line in lines:
        h = hash_text(h, line)
    return h
