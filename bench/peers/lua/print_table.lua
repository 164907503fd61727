-- Printing records as a text table: column widths, left and right alignment, thousands separators, clipped text, totals.
local function thousands(n)
  return (tostring(n):reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", ""))
end

local function money(cents)
  local size = math.abs(cents)
  return (cents < 0 and "-" or "") .. thousands(math.floor(size / 100))
    .. string.format(".%02d", size % 100)
end

local function clip(limit, text)
  if #text > limit then return text:sub(1, limit - 2) .. ".." end
  return text
end

local columns = {
  {title = "Name", cell = function(row) return clip(18, row.name) end},
  {title = "City", cell = function(row) return row.city end},
  {title = "Day", cell = function(row) return (row.day:gsub("^(%d+)-(%d+)-(%d+)$", "%3/%2/%1")) end},
  {title = "Units", right = true, cell = function(row) return thousands(row.units) end},
  {title = "Amount", right = true, cell = function(row) return money(row.cents) end},
  {title = "State", cell = function(row) return row.state:upper() end},
}

local function table_lines(rows)
  local widths, cells = {}, {}
  for i, column in ipairs(columns) do widths[i] = #column.title end
  for r, row in ipairs(rows) do
    local line = {}
    for i, column in ipairs(columns) do
      local text = column.cell(row)
      line[i] = text
      if #text > widths[i] then widths[i] = #text end
    end
    cells[r] = line
  end

  local function format_line(line)
    local parts = {}
    for i, column in ipairs(columns) do
      local space = (" "):rep(widths[i] - #line[i])
      parts[i] = column.right and space .. line[i] or line[i] .. space
    end
    return "| " .. table.concat(parts, " | ") .. " |"
  end

  local titles, dashes = {}, {}
  for i, column in ipairs(columns) do
    titles[i] = column.title
    dashes[i] = ("-"):rep(widths[i] + 2)
  end
  local rule = "+" .. table.concat(dashes, "+") .. "+"
  local lines = {rule, format_line(titles), rule}
  for r, line in ipairs(cells) do
    lines[#lines + 1] = format_line(line)
    if r % 5 == 0 or r == #cells then lines[#lines + 1] = rule end
  end
  return lines
end

local function totals(rows)
  local units, cents = 0, 0
  for _, row in ipairs(rows) do
    units = units + row.units
    cents = cents + row.cents
  end
  return {name = "total", city = "", day = "", state = "", units = units, cents = cents}
end

local function mix(h, x) return (h * 31 + x) % 1000000007 end

local function hash_text(h, text)
  for i = 1, #text do h = mix(h, text:byte(i)) end
  return h
end

return {
  setup = function(data) return data end,
  run = function(data)
    local groups, states = {}, {}
    for _, row in ipairs(data.rows) do
      local group = groups[row.state]
      if not group then
        group = {}
        groups[row.state] = group
        states[#states + 1] = row.state
      end
      group[#group + 1] = row
    end
    table.sort(states)
    local h = 7
    for _, state in ipairs(states) do
      local rows = groups[state]
      table.sort(rows, function(a, b)
        if a.city ~= b.city then return a.city < b.city end
        if a.cents ~= b.cents then return a.cents > b.cents end
        return a.name < b.name
      end)
      rows[#rows + 1] = totals(rows)
      local lines, length = table_lines(rows), 0
      for _, line in ipairs(lines) do length = length + #line end
      h = mix(hash_text(h, state), length)
      for i = 1, #lines, 10 do h = hash_text(h, lines[i]) end
    end
    return h
  end,
}
