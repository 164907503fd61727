-- Breadth-first search: distances and a shortest path in a grid maze, hop counts and components in a graph.
local function mix(h, x) return (h * 31 + x) % 1000000007 end

local steps = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}}

local function grid_answer(h, rows)
  local open, distance, count = {}, {}, 0
  for r, row in ipairs(rows) do
    open[r], distance[r] = {}, {}
    for c = 1, #row do
      open[r][c] = row:sub(c, c) ~= "#"
      if open[r][c] then count = count + 1 end
    end
  end

  local queue, head, sum = {{2, 2}}, 1, 0
  distance[2][2] = 0
  while queue[head] do
    local r, c = queue[head][1], queue[head][2]
    local d = distance[r][c]
    head = head + 1
    sum = sum + d
    for _, step in ipairs(steps) do
      local nr, nc = r + step[1], c + step[2]
      if open[nr] and open[nr][nc] and not distance[nr][nc] then
        distance[nr][nc] = d + 1
        queue[#queue + 1] = {nr, nc}
      end
    end
  end

  local far, gr, gc = -1, nil, nil
  for r = 1, #rows do
    for c = 1, #rows[r] do
      local d = distance[r][c]
      if d and d > far then far, gr, gc = d, r, c end
    end
  end
  h = mix(mix(mix(mix(h, count), #queue), far), sum)

  -- Walks downhill from the farthest cell to the start, first best neighbour first.
  local r, c = gr, gc
  h = mix(mix(h, r - 1), c - 1)
  while distance[r][c] > 0 do
    local nearer = distance[r][c] - 1
    for _, step in ipairs(steps) do
      local nr, nc = r + step[1], c + step[2]
      if distance[nr] and distance[nr][nc] == nearer then
        r, c = nr, nc
        break
      end
    end
    h = mix(mix(h, r - 1), c - 1)
  end
  return h
end

local function adjacency(edges)
  local graph = {}
  for _, edge in ipairs(edges) do
    local a, b = edge[1], edge[2]
    graph[a], graph[b] = graph[a] or {}, graph[b] or {}
    table.insert(graph[a], b)
    table.insert(graph[b], a)
  end
  return graph
end

-- Answers the nodes reached in order, and their distances.
local function distances(graph, start)
  local distance, queue, head = {[start] = 0}, {start}, 1
  while queue[head] do
    local node = queue[head]
    head = head + 1
    for _, next in ipairs(graph[node]) do
      if not distance[next] then
        distance[next] = distance[node] + 1
        queue[#queue + 1] = next
      end
    end
  end
  return queue, distance
end

local function mix_components(h, graph)
  local nodes, seen = {}, {}
  for node in pairs(graph) do nodes[#nodes + 1] = node end
  table.sort(nodes)
  for _, node in ipairs(nodes) do
    if not seen[node] then
      local reached = distances(graph, node)
      for _, other in ipairs(reached) do seen[other] = true end
      h = mix(h, #reached)
    end
  end
  return h
end

return {
  setup = function(data) return data end,
  run = function(data)
    local h = grid_answer(7, data.rows)
    local graph = adjacency(data.edges)
    h = mix_components(h, graph)
    for _, source in ipairs(data.sources) do
      local reached, distance = distances(graph, source)
      local sum, most = 0, 0
      for _, node in ipairs(reached) do
        sum = sum + distance[node]
        most = math.max(most, distance[node])
      end
      h = mix(mix(mix(h, #reached), most), sum)
    end
    return h
  end,
}
