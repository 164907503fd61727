"""List (Takl): the Takeuchi function on numbers written as linked lists, comparing lengths by walking both lists."""


class Node:
    __slots__ = ("value", "next")

    def __init__(self, value, following):
        self.value = value
        self.next = following


def make_list(n):
    head = None
    for value in range(1, n + 1):
        head = Node(value, head)
    return head


def is_shorter(a, b):
    while b:
        if not a:
            return True
        a, b = a.next, b.next
    return False


def tail(x, y, z):
    if is_shorter(y, x):
        return tail(tail(x.next, y, z), tail(y.next, z, x), tail(z.next, x, y))
    return z


def run(data):
    h = 7
    for x, y, z in data["triples"]:
        values = []
        node = tail(make_list(x), make_list(y), make_list(z))
        while node:
            values.append(node.value)
            node = node.next
        h += len(values)
        for value in values:
            h = (h * 31 + value) % 1000000007
    return h
