"""N-body: double-precision symplectic integration of the Sun and four planets held as objects in a list."""
from itertools import combinations
from math import floor, pi, sqrt

SOLAR_MASS = 4 * pi * pi


class Body:
    __slots__ = ("x", "y", "z", "vx", "vy", "vz", "mass")

    def __init__(self, x, y, z, vx, vy, vz, mass):
        self.x, self.y, self.z = x, y, z
        self.vx, self.vy, self.vz = vx, vy, vz
        self.mass = mass


def offset_momentum(bodies):
    px = py = pz = 0
    for b in bodies:
        px += b.vx * b.mass
        py += b.vy * b.mass
        pz += b.vz * b.mass
    sun = bodies[0]
    sun.vx, sun.vy, sun.vz = -px / SOLAR_MASS, -py / SOLAR_MASS, -pz / SOLAR_MASS


def advance(bodies, pairs, dt):
    for a, b in pairs:
        dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
        d2 = dx * dx + dy * dy + dz * dz
        magnitude = dt / (d2 * sqrt(d2))
        wa, wb = a.mass * magnitude, b.mass * magnitude
        a.vx -= dx * wb
        a.vy -= dy * wb
        a.vz -= dz * wb
        b.vx += dx * wa
        b.vy += dy * wa
        b.vz += dz * wa
    for b in bodies:
        b.x += dt * b.vx
        b.y += dt * b.vy
        b.z += dt * b.vz


def energy(bodies, pairs):
    kinetic = potential = 0
    for a in bodies:
        kinetic += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
    for a, b in pairs:
        dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
        potential += a.mass * b.mass / sqrt(dx * dx + dy * dy + dz * dz)
    return kinetic - potential


def run(data):
    bodies = [Body(**{field: body[field] for field in Body.__slots__}) for body in data["bodies"]]
    pairs = list(combinations(bodies, 2))
    offset_momentum(bodies)
    for _ in range(data["n"]):
        advance(bodies, pairs, 0.01)
    return floor(-1e9 * energy(bodies, pairs) + 0.5)
