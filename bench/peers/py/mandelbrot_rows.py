"""Mandelbrot set by rows: floating-point iteration per point, eight points packed into one byte."""


def is_inside(cr, ci):
    zr = zi = 0.0
    for _ in range(50):
        if zr * zr + zi * zi > 4.0:
            return False
        zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
    return zr * zr + zi * zi <= 4.0


def row_bytes(n, y):
    row, byte = [], 0
    ci = 2.0 * y / n - 1.0
    for x in range(n):
        byte = byte * 2 + (1 if is_inside(2.0 * x / n - 1.5, ci) else 0)
        if x % 8 == 7:
            row.append(byte)
            byte = 0
    return row


def run(data):
    n = data["n"]
    h = 7
    for y in range(n):
        for byte in row_bytes(n, y):
            h = (h * 31 + byte) % 1000000007
    return h
