"""Wrapping paragraphs of text: greedy lines, full justification, and least-ragged breaking by dynamic programming."""


def line_width(words):
    return len(words) - 1 + sum(map(len, words))


def wrap(width, words):
    lines, line, used = [], [], 0
    for word in words:
        if not line:
            line, used = [word], len(word)
        elif used + 1 + len(word) <= width:
            line.append(word)
            used += 1 + len(word)
        else:
            lines.append(line)
            line, used = [word], len(word)
    if line:
        lines.append(line)
    return lines


def justify(width, words):
    """Wider gaps go to the left."""
    gaps = len(words) - 1
    if gaps == 0:
        return words[0]
    each, extra = divmod(width - line_width(words), gaps)
    parts = [words[0]]
    for i in range(1, gaps + 1):
        parts.append(" " * (2 + each if i <= extra else 1 + each))
        parts.append(words[i])
    return "".join(parts)


def format_paragraph(width, words):
    *lines, last = wrap(width, words)
    return [justify(width, line) for line in lines] + [" ".join(last)]


def least_raggedness(width, words):
    """Least sum of squared room over all lines but the last, by the best cost of each tail."""
    n = len(words)
    costs = [0] * (n + 1)
    for start in range(n - 1, -1, -1):
        used, best = -1, None
        for stop in range(start, n):
            used += 1 + len(words[stop])
            if used > width:
                break
            room = width - used
            cost = 0 if stop == n - 1 else room * room + costs[stop + 1]
            if best is None or cost < best:
                best = cost
        costs[start] = best
    return costs[0]


def mix(h, x):
    return (h * 31 + x) % 1000000007


def hash_text(h, text):
    for byte in text.encode():
        h = mix(h, byte)
    return h


def run(data):
    h = 7
    for width in data["widths"]:
        lines, costs = [], []
        for paragraph in data["paragraphs"]:
            lines += format_paragraph(width, paragraph.split())
            costs.append(least_raggedness(width, paragraph.split()))
        for line in lines[::10]:
            h = hash_text(h, line)
        for line in lines:
            h = mix(h, len(line))
        for cost in costs:
            h = mix(h, cost)
    return h
