"""Breadth-first search: distances and a shortest path in a grid maze, hop counts and components in a graph."""
from collections import defaultdict, deque

STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0))


def mix(h, x):
    return (h * 31 + x) % 1000000007


def grid_answer(h, rows):
    height, width = len(rows), len(rows[0])
    is_open = [[cell != "#" for cell in row] for row in rows]
    distance = [[-1] * width for _ in rows]
    count = sum(sum(row) for row in is_open)

    queue = deque([(1, 1)])
    reached = total = 0
    distance[1][1] = 0
    while queue:
        r, c = queue.popleft()
        d = distance[r][c]
        reached += 1
        total += d
        for dr, dc in STEPS:
            nr, nc = r + dr, c + dc
            if 0 <= nr < height and 0 <= nc < width and is_open[nr][nc] and distance[nr][nc] < 0:
                distance[nr][nc] = d + 1
                queue.append((nr, nc))

    far, r, c = -1, 0, 0
    for i, row in enumerate(distance):
        for j, d in enumerate(row):
            if d > far:
                far, r, c = d, i, j
    for x in (count, reached, far, total):
        h = mix(h, x)

    # Walks downhill from the farthest cell to the start, first best neighbour first.
    h = mix(mix(h, r), c)
    while distance[r][c] > 0:
        nearer = distance[r][c] - 1
        for dr, dc in STEPS:
            if 0 <= r + dr < height and 0 <= c + dc < width and distance[r + dr][c + dc] == nearer:
                r, c = r + dr, c + dc
                break
        h = mix(mix(h, r), c)
    return h


def adjacency(edges):
    graph = defaultdict(list)
    for a, b in edges:
        graph[a].append(b)
        graph[b].append(a)
    return graph


def distances(graph, start):
    """The distances of the nodes reached, in the order in which they were."""
    distance = {start: 0}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other in graph[node]:
            if other not in distance:
                distance[other] = distance[node] + 1
                queue.append(other)
    return distance


def mix_components(h, graph):
    seen = set()
    for node in sorted(graph):
        if node not in seen:
            reached = distances(graph, node)
            seen.update(reached)
            h = mix(h, len(reached))
    return h


def run(data):
    h = grid_answer(7, data["rows"])
    graph = adjacency(data["edges"])
    h = mix_components(h, graph)
    for source in data["sources"]:
        reached = distances(graph, source)
        h = mix(mix(mix(h, len(reached)), max(reached.values())), sum(reached.values()))
    return h
