"""Walking nested records (a file tree) to their depth: totals per node, counts by level, heaviest paths, pruning."""
from collections import defaultdict


def with_totals(node):
    children, total, nodes = [], node["size"], 1
    for child in node["children"]:
        walked = with_totals(child)
        children.append(walked)
        total += walked["total"]
        nodes += walked["nodes"]
    return {"name": node["name"], "size": node["size"], "children": children, "total": total, "nodes": nodes}


def mix(h, x):
    return (h * 31 + x) % 1000000007


def hash_text(h, text):
    for byte in text.encode():
        h = mix(h, byte)
    return h


def mix_levels(h, tree):
    level = [tree]
    while level:
        h = mix(mix(h, len(level)), sum(node["size"] for node in level))
        level = [child for node in level for child in node["children"]]
    return h


def heaviest_path(node):
    path = []
    while node:
        path.append(node["name"])
        node = min(node["children"], key=lambda child: (-child["total"], child["name"]), default=None)
    return "/".join(path)


def prune(limit, node):
    kept = [prune(limit, child) for child in node["children"] if child["total"] >= limit]
    return {"name": node["name"], "size": node["size"], "children": kept}


def collect_paths(found, is_wanted, prefix, node):
    path = f"{prefix}/{node['name']}" if prefix else node["name"]
    if is_wanted(node):
        found.append(path)
    for child in node["children"]:
        collect_paths(found, is_wanted, path, child)


def add_kinds(sizes, node):
    if not node["children"]:
        sizes[node["name"].rpartition(".")[2]] += node["size"]
    for child in node["children"]:
        add_kinds(sizes, child)


def mix_pruned(h, tree, limit):
    small = with_totals(prune(limit, tree))
    h = mix(mix(h, small["total"]), small["nodes"])

    sizes = defaultdict(int)
    add_kinds(sizes, small)
    for kind, size in sorted(sizes.items()):
        h = mix(hash_text(h, kind), size)

    found = []
    collect_paths(found, lambda node: node["children"] and limit < node["total"] < 4 * limit, None, tree)
    for path in found:
        h = hash_text(h, path)
    return h


def run(data):
    tree = with_totals(data["tree"])
    h = mix_levels(mix(tree["total"], tree["nodes"]), tree)
    h = hash_text(h, heaviest_path(tree))
    for limit in data["limits"]:
        h = mix_pruned(h, tree, limit)
    return h
