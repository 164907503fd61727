"""Best k of records: sorted within each group, a leaderboard kept over a stream by insertion, and ranks with ties."""
from bisect import bisect_left
from collections import defaultdict


def rank_key(row):
    return -row["score"], row["id"]


def mix(h, x):
    return (h * 31 + x) % 1000000007


def top_of_groups(h, k, rows):
    groups = defaultdict(list)
    for row in rows:
        groups[row["team"]].append(row)
    for team in sorted(groups):
        for row in sorted(groups[team], key=rank_key)[:k]:
            h = mix(mix(h, row["id"]), row["score"])
    return h


def stream_leaders(k, rows):
    """After each record the leaderboard holds the k best so far."""
    board, changes = [], 0
    for row in rows:
        if len(board) < k or rank_key(row) < rank_key(board[-1]):
            board.insert(bisect_left(board, rank_key(row), key=rank_key), row)
            del board[k:]
            changes += 1
    return board, changes


def best_per_player(rows):
    best = {}
    for row in rows:
        old = best.get(row["player"])
        if old is None or rank_key(row) < rank_key(old):
            best[row["player"]] = row
    return best.values()


def run(data):
    k, rows = data["k"], data["rows"]
    h = top_of_groups(7, k, rows)
    board, changes = stream_leaders(4 * k, rows)
    for row in board:
        h = mix(mix(h, row["score"]), row["id"])
    h = mix(h, changes)
    rank, score = 0, None
    for place, row in enumerate(sorted(best_per_player(rows), key=rank_key), 1):
        if row["score"] != score:
            rank, score = place, row["score"]
        h = mix(mix(h, rank), row["id"])
    return h
