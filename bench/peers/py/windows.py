"""Sliding windows over a number series: moving averages, moving maximum and minimum, crossings, smoothing, greatest fall."""


def moving_average(width, xs):
    out, total = [], 0
    for i, x in enumerate(xs):
        total += x
        if i >= width:
            total -= xs[i - width]
        if i >= width - 1:
            out.append(total // width)
    return out


def moving(choose, width, xs):
    return [choose(xs[i : i + width]) for i in range(len(xs) - width + 1)]


def crossings(xs, ys):
    """xs[i] belongs to ys[i]."""
    above = [x > y for x, y in zip(xs, ys)]
    return sum(1 for before, now in zip(above, above[1:]) if before != now)


def smooth(weight, xs):
    """Exponential smoothing in thousandths."""
    out, level = [], 1000 * xs[0]
    for x in xs:
        level = (weight * 1000 * x + (100 - weight) * level) // 100
        out.append(level)
    return out


def greatest_fall(xs):
    high, fall = xs[0], 0
    for x in xs:
        high = max(high, x)
        fall = max(fall, high - x)
    return fall


def mix(h, x):
    return (h * 31 + x) % 1000000007


def mix_all(h, xs):
    for x in xs:
        h = mix(h, x)
    return h


def run(data):
    xs = data["series"]
    short, long = moving_average(data["short"], xs), moving_average(data["long"], xs)
    high, low = moving(max, data["width"], xs), moving(min, data["width"], xs)
    h = mix_all(mix_all(7, short), long)
    h = mix_all(h, [top - bottom for top, bottom in zip(high, low)])
    h = mix(h, crossings(short[data["long"] - data["short"] :], long))
    h = mix_all(h, smooth(20, xs))
    return mix(h, greatest_fall(xs))
