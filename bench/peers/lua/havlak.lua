-- Havlak, reduced (plain union-find, one pass): finding nested loops in a synthetic control-flow graph with arrays and tables as sets.
local function connect(graph, from, to)
  local s, p = graph.successors, graph.predecessors
  s[from], p[to] = s[from] or {}, p[to] or {}
  table.insert(s[from], to)
  table.insert(p[to], from)
end

local function straight(graph, start)
  connect(graph, start, start + 1)
  return start + 1
end

local function diamond(graph, start)
  connect(graph, start, start + 1)
  connect(graph, start, start + 2)
  connect(graph, start + 1, start + 3)
  connect(graph, start + 2, start + 3)
  return start + 3
end

-- Two loops inside one.
local function base_loop(graph, start)
  local header = straight(graph, start)
  local middle = diamond(graph, header)
  local inner = straight(graph, middle)
  local last = diamond(graph, inner)
  local footer = straight(graph, last)
  connect(graph, last, inner)
  connect(graph, middle, header)
  connect(graph, footer, start)
  return straight(graph, footer)
end

local function build_graph(trees, chains, length)
  local graph = {successors = {}, predecessors = {}}
  connect(graph, 0, 2)
  connect(graph, 2, 1)
  local node = 2
  for _ = 1, trees do
    local root = node + 1
    connect(graph, 2, root)
    node = root
    for _ = 1, chains do
      local top = node
      node = straight(graph, top)
      for _ = 1, length do node = base_loop(graph, node) end
      local bottom = straight(graph, node)
      connect(graph, node, top)
      node = bottom
    end
    connect(graph, node, 1)
  end
  return graph
end

-- Depth-first numbering from 0: nodes by number, number by node, last descendant by number.
local function number_nodes(graph)
  local nodes, number, last, size = {}, {}, {}, 0
  local stack = {{"enter", 0}}
  while #stack > 0 do
    local step = table.remove(stack)
    local node = step[2]
    if step[1] == "leave" then
      last[number[node]] = size - 1
    elseif not number[node] then
      nodes[size], number[node] = node, size
      size = size + 1
      stack[#stack + 1] = {"leave", node}
      local successors = graph.successors[node]
      if successors then
        for i = #successors, 1, -1 do stack[#stack + 1] = {"enter", successors[i]} end
      end
    end
  end
  return nodes, number, last, size
end

local function find_root(parents, x)
  while parents[x] ~= x do x = parents[x] end
  return x
end

local function find_loops(graph)
  local nodes, number, last, size = number_nodes(graph)
  local function ancestor(w, v) return w <= v and v <= last[w] end
  local parents, back, entering, loops = {}, {}, {}, {}
  for w = 0, size - 1 do
    parents[w], back[w], entering[w] = w, {}, {}
    for _, node in ipairs(graph.predecessors[nodes[w]] or {}) do
      local v = number[node]
      if v then
        if ancestor(w, v) then table.insert(back[w], v) else entering[w][v] = true end
      end
    end
  end
  for w = size - 1, 0, -1 do
    local body, members, work, own = {}, {}, {}, false
    local kind = "reducible"
    local function add(v)
      if not body[v] then
        body[v] = true
        members[#members + 1] = v
        work[#work + 1] = v
      end
    end
    for _, v in ipairs(back[w]) do
      if v == w then own = true else add(find_root(parents, v)) end
    end
    while #work > 0 do
      for y in pairs(entering[table.remove(work)]) do
        local root = find_root(parents, y)
        if not ancestor(w, root) then
          kind = "irreducible"
          entering[w][root] = true
        elseif root ~= w then
          add(root)
        end
      end
    end
    if own or #members > 0 then
      local count = 0
      for _, v in ipairs(members) do
        parents[v] = w
        if loops[v] then loops[v].parent = w else count = count + 1 end
      end
      loops[w] = {kind = #members > 0 and kind or "self", members = count}
    end
  end
  return loops
end

local codes = {reducible = 1, irreducible = 2, self = 3}

return {
  setup = function(data) return data end,
  run = function(data)
    local loops = find_loops(build_graph(data.trees, data.chains, data.length))
    local headers = {}
    for header in pairs(loops) do headers[#headers + 1] = header end
    table.sort(headers)
    local h = #headers
    for _, header in ipairs(headers) do
      local l = loops[header]
      l.depth = l.parent and loops[l.parent].depth + 1 or 1
      h = (h * 31 + header * 1000 + codes[l.kind] * 100 + l.members * 10 + l.depth) % 1000000007
    end
    return h
  end,
}
