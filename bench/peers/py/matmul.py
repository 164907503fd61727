"""Matrix multiplication of lists of rows, A times B times the transpose of A, whole numbers."""


def make_matrix(n, a, b):
    return [[(a * i + b * j + i * j) % 19 - 9 for j in range(n)] for i in range(n)]


def transpose(m):
    return list(zip(*m))


def dot(row, column):
    total = 0
    for x, y in zip(row, column):
        total += x * y
    return total


def multiply(a, b):
    columns = transpose(b)
    return [[dot(row, column) for column in columns] for row in a]


def run(data):
    a, b = make_matrix(data["n"], 3, 7), make_matrix(data["n"], 5, 2)
    h = 7
    for row in multiply(multiply(a, b), transpose(a)):
        for x in row:
            h = (h * 31 + x) % 1000000007
    return h
