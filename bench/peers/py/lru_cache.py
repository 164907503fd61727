"""A least-recently-used cache under a stream of gets, puts and deletes: a dict of entries in a doubly linked list."""


class Entry:
    __slots__ = ("key", "value", "older", "newer")

    def __init__(self, key, value):
        self.key = key
        self.value = value
        self.older = self.newer = self

    def unlink(self):
        self.older.newer = self.newer
        self.newer.older = self.older


class Cache:
    def __init__(self, capacity):
        self.entries = {}
        self.ends = Entry(None, None)
        self.capacity = capacity
        self.evicted = 0

    def link_newest(self, entry):
        ends = self.ends
        entry.older, entry.newer = ends.older, ends
        ends.older.newer = entry
        ends.older = entry

    def get(self, key):
        entry = self.entries.get(key)
        if entry is None:
            return None
        entry.unlink()
        self.link_newest(entry)
        return entry.value

    def put(self, key, value):
        entry = self.entries.get(key)
        if entry:
            entry.value = value
            entry.unlink()
            self.link_newest(entry)
            return
        entry = self.entries[key] = Entry(key, value)
        self.link_newest(entry)
        if len(self.entries) > self.capacity:
            self.forget(self.ends.newer.key)
            self.evicted += 1

    def forget(self, key):
        entry = self.entries.pop(key, None)
        if entry:
            entry.unlink()

    def oldest_first(self):
        entry = self.ends.newer
        while entry is not self.ends:
            yield entry
            entry = entry.newer


def mix(h, x):
    return (h * 31 + x) % 1000000007


def run(data):
    cache = Cache(data["capacity"])
    h = 7
    hits = misses = 0
    for op in data["ops"]:
        kind = op["op"]
        if kind == "get":
            value = cache.get(op["key"])
            if value is None:
                misses += 1
            else:
                hits += 1
                h = mix(h, value)
        elif kind == "put":
            cache.put(op["key"], op["value"])
        else:
            cache.forget(op["key"])
    for x in (hits, misses, cache.evicted, len(cache.entries)):
        h = mix(h, x)
    for entry in cache.oldest_first():
        h = mix(h, entry.value)
    return h
