"""Allocation and recursive walking of many short-lived balanced binary trees beside one long-lived tree."""


def make_tree(depth):
    if depth == 0:
        return (None, None)
    return (make_tree(depth - 1), make_tree(depth - 1))


def count_nodes(tree):
    left, right = tree
    return 1 + count_nodes(left) + count_nodes(right) if left else 1


def mix(h, x):
    return (h * 31 + x) % 1000000007


def run(data):
    min_depth = 4
    max_depth = max(min_depth + 2, data["n"])
    h = count_nodes(make_tree(max_depth + 1))
    long_lived = make_tree(max_depth)
    for depth in range(min_depth, max_depth + 1, 2):
        iterations = 2 ** (max_depth - depth + min_depth)
        h = mix(h, sum(count_nodes(make_tree(depth)) for _ in range(iterations)))
    return mix(h, count_nodes(long_lived))
