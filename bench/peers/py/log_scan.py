"""Scanning server log lines with a pattern: counts by hour and level, failures and slow times by route, slowest requests."""
import re
from collections import Counter, defaultdict

LINE = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d\d):\d\d:\d\dZ (\w+) \[(\w+)\] (\w+) (\S+) status=(\d+) dur=(\d+)ms", re.ASCII)
ID = re.compile(r"/\d+", re.ASCII)


def parse_line(index, line):
    found = LINE.fullmatch(line)
    if not found:
        return None
    date, hour, level, host, method, path, status, duration = found.groups()
    return {
        "index": index,
        "date": date,
        "hour": hour,
        "level": level,
        "host": host,
        "route": f"{method} {ID.sub('/:id', path)}",
        "status": int(status),
        "duration": int(duration),
    }


def route_line(route, requests):
    times = sorted(request["duration"] for request in requests)
    n = len(times)
    failed = sum(request["status"] >= 500 for request in requests)
    return f"{route} n={n} failed={failed} mean={sum(times) // n} p95={times[95 * (n - 1) // 100]}"


def hash_text(h, text):
    for byte in text.encode():
        h = (h * 31 + byte) % 1000000007
    return h


def run(data):
    lines = data["lines"]
    entries = [entry for entry in (parse_line(i, line) for i, line in enumerate(lines)) if entry]
    levels = Counter(f"{entry['hour']} {entry['level']}" for entry in entries)
    hosts = Counter(entry["host"] for entry in entries if entry["level"] == "ERROR")
    routes = defaultdict(list)
    for entry in entries:
        routes[entry["route"]].append(entry)
    report = [f"skipped {len(lines) - len(entries)}"]
    report += [f"{key} {count}" for key, count in sorted(levels.items())]
    report += [route_line(route, routes[route]) for route in sorted(routes)]
    report += [f"errors on {host} {count}" for host, count in sorted(hosts.items())]
    slowest = sorted(entries, key=lambda entry: (-entry["duration"], entry["index"]))[: data["top"]]
    report += [f"{entry['index']} {entry['date']} {entry['route']} {entry['duration']}" for entry in slowest]
    h = 7
    for line in report:
        h = hash_text(h, line)
    return h
