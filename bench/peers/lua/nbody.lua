-- N-body: double-precision symplectic integration of the Sun and four planets held as records in an array.
local sqrt = math.sqrt
local solar_mass = 4 * math.pi * math.pi

local function offset_momentum(bodies)
  local px, py, pz = 0, 0, 0
  for _, b in ipairs(bodies) do
    px = px + b.vx * b.mass
    py = py + b.vy * b.mass
    pz = pz + b.vz * b.mass
  end
  local sun = bodies[1]
  sun.vx, sun.vy, sun.vz = -px / solar_mass, -py / solar_mass, -pz / solar_mass
end

local function advance(bodies, dt)
  local n = #bodies
  for i = 1, n do
    local a = bodies[i]
    for j = i + 1, n do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      local d2 = dx * dx + dy * dy + dz * dz
      local mag = dt / (d2 * sqrt(d2))
      local wa, wb = a.mass * mag, b.mass * mag
      a.vx = a.vx - dx * wb
      a.vy = a.vy - dy * wb
      a.vz = a.vz - dz * wb
      b.vx = b.vx + dx * wa
      b.vy = b.vy + dy * wa
      b.vz = b.vz + dz * wa
    end
  end
  for i = 1, n do
    local b = bodies[i]
    b.x = b.x + dt * b.vx
    b.y = b.y + dt * b.vy
    b.z = b.z + dt * b.vz
  end
end

local function energy(bodies)
  local kinetic, potential = 0, 0
  for i, a in ipairs(bodies) do
    kinetic = kinetic + 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
    for j = i + 1, #bodies do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      potential = potential + a.mass * b.mass / sqrt(dx * dx + dy * dy + dz * dz)
    end
  end
  return kinetic - potential
end

return {
  setup = function(data) return data end,
  run = function(data)
    local bodies = {}
    for i, b in ipairs(data.bodies) do
      bodies[i] = {x = b.x, y = b.y, z = b.z, vx = b.vx, vy = b.vy, vz = b.vz, mass = b.mass}
    end
    offset_momentum(bodies)
    for _ = 1, data.n do advance(bodies, 0.01) end
    return math.floor(-1e9 * energy(bodies) + 0.5)
  end,
}
