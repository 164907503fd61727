-- Walking nested records (a file tree) to their depth: totals per node, counts by level, heaviest paths, pruning.
local function with_totals(node)
  local children, total, nodes = {}, node.size, 1
  for i, child in ipairs(node.children) do
    local c = with_totals(child)
    children[i] = c
    total = total + c.total
    nodes = nodes + c.nodes
  end
  return {name = node.name, size = node.size, children = children, total = total, nodes = nodes}
end

local function mix(h, x) return (h * 31 + x) % 1000000007 end

local function hash_text(h, text)
  for i = 1, #text do h = mix(h, text:byte(i)) end
  return h
end

local function mix_levels(h, tree)
  local level = {tree}
  while #level > 0 do
    local below, size = {}, 0
    for _, node in ipairs(level) do
      size = size + node.size
      for _, child in ipairs(node.children) do below[#below + 1] = child end
    end
    h = mix(mix(h, #level), size)
    level = below
  end
  return h
end

local function heaviest_path(node)
  local path = {}
  while node do
    path[#path + 1] = node.name
    local best
    for _, child in ipairs(node.children) do
      if not best or child.total > best.total
        or (child.total == best.total and child.name < best.name) then
        best = child
      end
    end
    node = best
  end
  return table.concat(path, "/")
end

local function prune(limit, node)
  local kept = {}
  for _, child in ipairs(node.children) do
    if child.total >= limit then kept[#kept + 1] = prune(limit, child) end
  end
  return {name = node.name, size = node.size, children = kept}
end

local function collect_paths(found, wanted, prefix, node)
  local path = prefix and prefix .. "/" .. node.name or node.name
  if wanted(node) then found[#found + 1] = path end
  for _, child in ipairs(node.children) do collect_paths(found, wanted, path, child) end
end

local function add_kinds(sizes, node)
  if #node.children == 0 then
    local kind = node.name:match("[^.]*$")
    sizes[kind] = (sizes[kind] or 0) + node.size
  end
  for _, child in ipairs(node.children) do add_kinds(sizes, child) end
end

local function mix_pruned(h, tree, limit)
  local small = with_totals(prune(limit, tree))
  h = mix(mix(h, small.total), small.nodes)

  local sizes, kinds = {}, {}
  add_kinds(sizes, small)
  for kind in pairs(sizes) do kinds[#kinds + 1] = kind end
  table.sort(kinds)
  for _, kind in ipairs(kinds) do h = mix(hash_text(h, kind), sizes[kind]) end

  local found = {}
  collect_paths(found, function(node)
    return #node.children > 0 and node.total > limit and node.total < 4 * limit
  end, nil, tree)
  for _, path in ipairs(found) do h = hash_text(h, path) end
  return h
end

return {
  setup = function(data) return data end,
  run = function(data)
    local tree = with_totals(data.tree)
    local h = mix_levels(mix(tree.total, tree.nodes), tree)
    h = hash_text(h, heaviest_path(tree))
    for _, limit in ipairs(data.limits) do h = mix_pruned(h, tree, limit) end
    return h
  end,
}
