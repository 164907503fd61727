-- Allocation and recursive walking of many short-lived balanced binary trees beside one long-lived tree.
local function make_tree(depth)
  if depth == 0 then return {} end
  return {make_tree(depth - 1), make_tree(depth - 1)}
end

local function count_nodes(tree)
  local left = tree[1]
  if left then
    return 1 + count_nodes(left) + count_nodes(tree[2])
  end
  return 1
end

local function mix(h, x) return (h * 31 + x) % 1000000007 end

return {
  setup = function(data) return data end,
  run = function(data)
    local min_depth = 4
    local max_depth = math.max(min_depth + 2, data.n)
    local h = count_nodes(make_tree(max_depth + 1))
    local long_lived = make_tree(max_depth)
    for depth = min_depth, max_depth, 2 do
      local iterations = 2 ^ (max_depth - depth + min_depth)
      local check = 0
      for _ = 1, iterations do
        check = check + count_nodes(make_tree(depth))
      end
      h = mix(h, check)
    end
    return mix(h, count_nodes(long_lived))
  end,
}
