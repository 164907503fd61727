-- Knapsack (each item once): a table of best values by item and capacity, then the chosen items read back from it.
local function best_rows(items, capacity)
  local rows = {[0] = {}}
  for c = 0, capacity do rows[0][c] = 0 end
  for i, item in ipairs(items) do
    local weight, value = item.weight, item.value
    local before, row = rows[i - 1], {}
    for c = 0, capacity do
      local best = before[c]
      if c >= weight then
        local other = before[c - weight] + value
        if other > best then best = other end
      end
      row[c] = best
    end
    rows[i] = row
  end
  return rows
end

-- Walks the rows backwards: an item was taken where its row differs from the one before.
local function chosen(rows, items, capacity)
  local taken = {}
  for i = #items, 1, -1 do
    if rows[i][capacity] ~= rows[i - 1][capacity] then
      table.insert(taken, 1, items[i])
      capacity = capacity - items[i].weight
    end
  end
  return taken
end

local function mix(h, x) return (h * 31 + x) % 1000000007 end

return {
  setup = function(data) return data end,
  run = function(data)
    local items, capacity = data.items, data.capacity
    local rows = best_rows(items, capacity)
    local last = rows[#items]
    local h, weight, value = last[capacity], 0, 0
    for _, item in ipairs(chosen(rows, items, capacity)) do
      h = mix(h, item.id)
      weight = weight + item.weight
      value = value + item.value
    end
    h = mix(mix(h, weight), value)
    for c = 0, capacity, 100 do h = mix(h, last[c]) end
    return h
  end,
}
