"""Near duplicates in contact records: normalised e-mail and name keys, clusters joined by shared keys, merged records."""
import re

NO_NAME = re.compile(r"[^a-z ]")
NO_DIGIT = re.compile(r"[^0-9]")


def email_key(email):
    user, _, domain = email.strip().lower().partition("@")
    return f"e:{user.partition('+')[0].replace('.', '')}@{domain}"


def name_key(record):
    words = sorted(NO_NAME.sub("", record["name"].lower()).split())
    return f"n:{' '.join(words)}/{NO_DIGIT.sub('', record['phone'])[-7:]}"


def find_root(parents, record):
    while record in parents:
        record = parents[record]
    return record


def longer(a, b):
    return b if len(b) > len(a) else a


def mix(h, x):
    return (h * 31 + x) % 1000000007


def cluster(records):
    """Maps a record to an earlier one of its cluster."""
    owners, parents = {}, {}  # owners maps each key to the first record that had it
    for record in records:
        own = record["id"]
        keys = (email_key(record["email"]), name_key(record))
        roots = [find_root(parents, owners[key]) for key in keys if key in owners]
        root = min(roots, default=own)
        for other in (*roots, own):
            if other != root:
                parents[other] = root
        for key in keys:
            owners.setdefault(key, own)
    return parents


def run(data):
    records = data["records"]
    parents = cluster(records)
    merged, sizes = {}, {}
    for record in records:
        root = find_root(parents, record["id"])
        m = merged.get(root)
        if m is None:
            merged[root] = dict(record)
            sizes[root] = 1
            continue
        sizes[root] += 1
        m["id"] = min(m["id"], record["id"])
        m["spent"] += record["spent"]
        for field in ("name", "email", "phone"):
            m[field] = longer(m[field], record[field])
    h = len(merged)
    for root in sorted(merged):
        m = merged[root]
        for x in (root, sizes[root], m["id"], len(m["name"]), len(m["email"]), len(m["phone"]), m["spent"]):
            h = mix(h, x)
    return h
