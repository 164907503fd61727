"""Bounce: balls moving in a box, one object per ball, counting the bounces."""

LIMIT = 500


def random():
    seed = 74755
    while True:
        seed = (seed * 1309 + 13849) % 65536
        yield seed


class Ball:
    def __init__(self, numbers):
        self.x = next(numbers) % LIMIT
        self.y = next(numbers) % LIMIT
        self.vx = next(numbers) % 300 - 150
        self.vy = next(numbers) % 300 - 150

    def step(self):
        bounced = False
        self.x += self.vx
        self.y += self.vy
        if self.x > LIMIT:
            self.x, self.vx, bounced = LIMIT, -abs(self.vx), True
        if self.x < 0:
            self.x, self.vx, bounced = 0, abs(self.vx), True
        if self.y > LIMIT:
            self.y, self.vy, bounced = LIMIT, -abs(self.vy), True
        if self.y < 0:
            self.y, self.vy, bounced = 0, abs(self.vy), True
        return bounced


def run(data):
    numbers = random()
    balls = [Ball(numbers) for _ in range(data["balls"])]
    bounces = 0
    for _ in range(data["frames"]):
        for ball in balls:
            if ball.step():
                bounces += 1
    return bounces
