"""Edit distance by rows: finding for each misspelt word the nearest words of a dictionary."""


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        diagonal = row[0]
        row[0] = i
        for j, other in enumerate(b, 1):
            above = row[j]
            row[j] = diagonal if letter == other else min(diagonal, above, row[j - 1]) + 1
            diagonal = above
    return row[-1]


def suggest(dictionary, word):
    return sorted((distance(word, entry), entry) for entry in dictionary if abs(len(entry) - len(word)) <= 2)


def hash_text(h, text):
    for byte in text.encode():
        h = (h * 31 + byte) % 1000000007
    return h


def run(data):
    h = 7
    for word in data["words"]:
        for found, entry in suggest(data["dictionary"], word)[:3]:
            h = hash_text(h + found, entry)
    return h
