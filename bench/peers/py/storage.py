"""Storage: building a tree of lists with leaves of random length, then walking it; allocation of small lists."""


class Random:
    def __init__(self):
        self.seed = 74755

    def next(self):
        self.seed = (self.seed * 1309 + 13849) % 65536
        return self.seed


def build_tree(depth, random):
    if depth == 1:
        return [None] * (random.next() % 10 + 1)
    return [build_tree(depth - 1, random) for _ in range(4)]


def count_lists(tree):
    n = 1
    for child in tree:
        if child:
            n += count_lists(child)
    return n


def count_slots(tree):
    n = len(tree)
    for child in tree:
        if child:
            n += count_slots(child)
    return n


def run(data):
    random = Random()
    tree = build_tree(data["depth"], random)
    return (31 * 31 * count_lists(tree) + 31 * count_slots(tree) + random.seed) % 1000000007
