// N-body: double-precision symplectic integration of the Sun and four planets held as records in an array.
const solarMass = 4 * Math.PI * Math.PI;

function offsetMomentum(bodies) {
  let px = 0, py = 0, pz = 0;
  for (const b of bodies) {
    px += b.vx * b.mass;
    py += b.vy * b.mass;
    pz += b.vz * b.mass;
  }
  const sun = bodies[0];
  sun.vx = -px / solarMass;
  sun.vy = -py / solarMass;
  sun.vz = -pz / solarMass;
}

function advance(bodies, dt) {
  for (let i = 0; i < bodies.length; i++) {
    const a = bodies[i];
    for (let j = i + 1; j < bodies.length; j++) {
      const b = bodies[j];
      const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
      const d2 = dx * dx + dy * dy + dz * dz;
      const magnitude = dt / (d2 * Math.sqrt(d2));
      const wa = a.mass * magnitude, wb = b.mass * magnitude;
      a.vx -= dx * wb;
      a.vy -= dy * wb;
      a.vz -= dz * wb;
      b.vx += dx * wa;
      b.vy += dy * wa;
      b.vz += dz * wa;
    }
  }
  for (const b of bodies) {
    b.x += dt * b.vx;
    b.y += dt * b.vy;
    b.z += dt * b.vz;
  }
}

function energy(bodies) {
  let kinetic = 0, potential = 0;
  bodies.forEach((a, i) => {
    kinetic += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz);
    for (let j = i + 1; j < bodies.length; j++) {
      const b = bodies[j];
      const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
      potential += (a.mass * b.mass) / Math.sqrt(dx * dx + dy * dy + dz * dz);
    }
  });
  return kinetic - potential;
}

export function run(data) {
  const bodies = data.bodies.map(({ x, y, z, vx, vy, vz, mass }) => ({ x, y, z, vx, vy, vz, mass }));
  offsetMomentum(bodies);
  for (let i = 0; i < data.n; i++) advance(bodies, 0.01);
  return Math.floor(-1e9 * energy(bodies) + 0.5);
}
