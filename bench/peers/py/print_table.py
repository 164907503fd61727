"""Printing records as a text table: column widths, left and right alignment, thousands separators, clipped text, totals."""
from collections import defaultdict


def money(cents):
    size = abs(cents)
    return f"{'-' if cents < 0 else ''}{size // 100:,}.{size % 100:02d}"


def clip(limit, text):
    return text[: limit - 2] + ".." if len(text) > limit else text


COLUMNS = (
    ("Name", str.ljust, lambda row: clip(18, row["name"])),
    ("City", str.ljust, lambda row: row["city"]),
    ("Day", str.ljust, lambda row: "/".join(reversed(row["day"].split("-")))),
    ("Units", str.rjust, lambda row: f"{row['units']:,}"),
    ("Amount", str.rjust, lambda row: money(row["cents"])),
    ("State", str.ljust, lambda row: row["state"].upper()),
)


def table_lines(rows):
    titles = [title for title, _, _ in COLUMNS]
    cells = [[cell(row) for _, _, cell in COLUMNS] for row in rows]
    widths = [max(map(len, column)) for column in zip(titles, *cells)]

    def format_line(line):
        return "| " + " | ".join([align(text, width) for text, width, (_, align, _) in zip(line, widths, COLUMNS)]) + " |"

    rule = "+" + "+".join(["-" * (width + 2) for width in widths]) + "+"
    lines = [rule, format_line(titles), rule]
    for number, line in enumerate(cells, 1):
        lines.append(format_line(line))
        if number % 5 == 0 or number == len(cells):
            lines.append(rule)
    return lines


def totals(rows):
    units, cents = sum(row["units"] for row in rows), sum(row["cents"] for row in rows)
    return {"name": "total", "city": "", "day": "", "state": "", "units": units, "cents": cents}


def mix(h, x):
    return (h * 31 + x) % 1000000007


def hash_text(h, text):
    for byte in text.encode():
        h = mix(h, byte)
    return h


def run(data):
    groups = defaultdict(list)
    for row in data["rows"]:
        groups[row["state"]].append(row)
    h = 7
    for state in sorted(groups):
        rows = sorted(groups[state], key=lambda row: (row["city"], -row["cents"], row["name"]))
        rows.append(totals(rows))
        lines = table_lines(rows)
        h = mix(hash_text(h, state), sum(map(len, lines)))
        for line in lines[::10]:
            h = hash_text(h, line)
    return h
