-- Mandelbrot set by rows: floating-point iteration per point, eight points packed into one byte.
local function inside(cr, ci)
  local zr, zi = 0.0, 0.0
  for _ = 1, 50 do
    if zr * zr + zi * zi > 4.0 then return false end
    zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
  end
  return zr * zr + zi * zi <= 4.0
end

local function row_bytes(n, y)
  local bytes, byte = {}, 0
  local ci = 2.0 * y / n - 1.0
  for x = 0, n - 1 do
    byte = byte * 2 + (inside(2.0 * x / n - 1.5, ci) and 1 or 0)
    if x % 8 == 7 then
      bytes[#bytes + 1] = byte
      byte = 0
    end
  end
  return bytes
end

return {
  setup = function(data) return data end,
  run = function(data)
    local h = 7
    for y = 0, data.n - 1 do
      for _, byte in ipairs(row_bytes(data.n, y)) do h = (h * 31 + byte) % 1000000007 end
    end
    return h
  end,
}
