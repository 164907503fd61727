"""Havlak, reduced (plain union-find, one pass): finding nested loops in a synthetic control-flow graph with lists, dicts and sets."""
from collections import defaultdict


class Graph:
    def __init__(self):
        self.successors = defaultdict(list)
        self.predecessors = defaultdict(list)

    def connect(self, start, end):
        self.successors[start].append(end)
        self.predecessors[end].append(start)

    def straight(self, start):
        self.connect(start, start + 1)
        return start + 1

    def diamond(self, start):
        self.connect(start, start + 1)
        self.connect(start, start + 2)
        self.connect(start + 1, start + 3)
        self.connect(start + 2, start + 3)
        return start + 3

    def base_loop(self, start):
        """Two loops inside one."""
        header = self.straight(start)
        middle = self.diamond(header)
        inner = self.straight(middle)
        last = self.diamond(inner)
        footer = self.straight(last)
        self.connect(last, inner)
        self.connect(middle, header)
        self.connect(footer, start)
        return self.straight(footer)


def build_graph(trees, chains, length):
    graph = Graph()
    graph.connect(0, 2)
    graph.connect(2, 1)
    node = 2
    for _ in range(trees):
        root = node + 1
        graph.connect(2, root)
        node = root
        for _ in range(chains):
            top = node
            node = graph.straight(top)
            for _ in range(length):
                node = graph.base_loop(node)
            bottom = graph.straight(node)
            graph.connect(node, top)
            node = bottom
        graph.connect(node, 1)
    return graph


def number_nodes(graph):
    """Depth-first numbering from 0: nodes by number, number by node, last descendant by number."""
    nodes, number, last = [], {}, {}
    stack = [("enter", 0)]
    while stack:
        step, node = stack.pop()
        if step == "leave":
            last[number[node]] = len(nodes) - 1
        elif node not in number:
            number[node] = len(nodes)
            nodes.append(node)
            stack.append(("leave", node))
            stack.extend(("enter", successor) for successor in reversed(graph.successors.get(node, ())))
    return nodes, number, last


def find_root(parents, x):
    while parents[x] != x:
        x = parents[x]
    return x


def sort_edges(graph, nodes, number, last):
    """The edges into each node by number: those that go back, and where the others come from."""
    back, entering = [[] for _ in nodes], [set() for _ in nodes]
    for w, node in enumerate(nodes):
        for start in graph.predecessors.get(node, ()):
            v = number.get(start)
            if v is None:
                continue
            if w <= v <= last[w]:
                back[w].append(v)
            else:
                entering[w].add(v)
    return back, entering


def find_loops(graph):
    nodes, number, last = number_nodes(graph)
    parents = list(range(len(nodes)))
    back, entering = sort_edges(graph, nodes, number, last)
    loops = {}
    for w in reversed(range(len(nodes))):
        body, kind = {}, "reducible"  # the keys of body are a set that keeps its order
        for v in back[w]:
            if v != w:
                body[find_root(parents, v)] = True
        work = list(body)
        while work:
            for y in list(entering[work.pop()]):
                root = find_root(parents, y)
                if not w <= root <= last[w]:
                    kind = "irreducible"
                    entering[w].add(root)
                elif root != w and root not in body:
                    body[root] = True
                    work.append(root)
        if back[w]:
            members = 0
            for v in body:
                parents[v] = w
                if v in loops:
                    loops[v]["parent"] = w
                else:
                    members += 1
            loops[w] = {"kind": kind if body else "self", "members": members, "parent": None, "depth": 1}
    return loops


CODES = {"reducible": 1, "irreducible": 2, "self": 3}


def run(data):
    loops = find_loops(build_graph(data["trees"], data["chains"], data["length"]))
    h = len(loops)
    for header in sorted(loops):
        loop = loops[header]
        if loop["parent"] is not None:
            loop["depth"] = loops[loop["parent"]]["depth"] + 1
        h = (h * 31 + header * 1000 + CODES[loop["kind"]] * 100 + loop["members"] * 10 + loop["depth"]) % 1000000007
    return h
