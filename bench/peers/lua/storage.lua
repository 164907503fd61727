-- Storage: building a tree of arrays with leaves of random length, then walking it; allocation of small arrays.
local function next_random(random)
  random.seed = (random.seed * 1309 + 13849) % 65536
  return random.seed
end

local function build_tree(depth, random)
  local tree = {}
  if depth == 1 then
    for i = 1, next_random(random) % 10 + 1 do tree[i] = false end
  else
    for i = 1, 4 do tree[i] = build_tree(depth - 1, random) end
  end
  return tree
end

local function count_arrays(tree)
  local n = 1
  for _, child in ipairs(tree) do
    if child then n = n + count_arrays(child) end
  end
  return n
end

local function count_slots(tree)
  local n = #tree
  for _, child in ipairs(tree) do
    if child then n = n + count_slots(child) end
  end
  return n
end

return {
  setup = function(data) return data end,
  run = function(data)
    local random = {seed = 74755}
    local tree = build_tree(data.depth, random)
    return (31 * 31 * count_arrays(tree) + 31 * count_slots(tree) + random.seed) % 1000000007
  end,
}
