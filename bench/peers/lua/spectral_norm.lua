-- Spectral norm: power iteration on an infinite matrix computed entry by entry, floating-point vectors.
local function entry(i, j)
  local s = i + j
  return 1.0 / (s * (s + 1) / 2 + i + 1)
end

local function times_a(v)
  local n, out = #v, {}
  for i = 1, n do
    local sum = 0
    for j = 1, n do sum = sum + entry(i - 1, j - 1) * v[j] end
    out[i] = sum
  end
  return out
end

local function times_a_transposed(v)
  local n, out = #v, {}
  for i = 1, n do
    local sum = 0
    for j = 1, n do sum = sum + entry(j - 1, i - 1) * v[j] end
    out[i] = sum
  end
  return out
end

local function times_ata(v)
  return times_a_transposed(times_a(v))
end

local function dot(u, v)
  local sum = 0
  for i = 1, #u do sum = sum + u[i] * v[i] end
  return sum
end

return {
  setup = function(data) return data end,
  run = function(data)
    local u, v = {}, nil
    for i = 1, data.n do u[i] = 1.0 end
    for _ = 1, 10 do
      v = times_ata(u)
      u = times_ata(v)
    end
    return math.floor(math.sqrt(dot(u, v) / dot(v, v)) * 1e9 + 0.5)
  end,
}
