-- Wrapping paragraphs of text: greedy lines, full justification, and least-ragged breaking by dynamic programming.
local floor = math.floor

local function words_of(paragraph)
  local words = {}
  for word in paragraph:gmatch("%S+") do words[#words + 1] = word end
  return words
end

local function line_width(words)
  local width = #words - 1
  for _, word in ipairs(words) do width = width + #word end
  return width
end

local function wrap(width, words)
  local lines, line, used = {}, {}, 0
  for _, word in ipairs(words) do
    if #line == 0 then
      line[1], used = word, #word
    elseif used + 1 + #word <= width then
      line[#line + 1] = word
      used = used + 1 + #word
    else
      lines[#lines + 1] = line
      line, used = {word}, #word
    end
  end
  if #line > 0 then lines[#lines + 1] = line end
  return lines
end

-- Wider gaps go to the left.
local function justify(width, words)
  local gaps = #words - 1
  if gaps == 0 then return words[1] end
  local room = width - line_width(words)
  local each, extra = floor(room / gaps), room % gaps
  local parts = {words[1]}
  for i = 1, gaps do
    parts[#parts + 1] = (" "):rep(1 + each + (i <= extra and 1 or 0))
    parts[#parts + 1] = words[i + 1]
  end
  return table.concat(parts)
end

local function format_paragraph(out, width, words)
  local lines = wrap(width, words)
  for i = 1, #lines - 1 do out[#out + 1] = justify(width, lines[i]) end
  out[#out + 1] = table.concat(lines[#lines], " ")
end

-- Least sum of squared room over all lines but the last, by the best cost of each tail.
local function least_raggedness(width, words)
  local n = #words
  local costs = {[n + 1] = 0}
  for start = n, 1, -1 do
    local used, best = -1, nil
    for stop = start, n do
      used = used + 1 + #words[stop]
      if used > width then break end
      local room = width - used
      local cost = stop == n and 0 or room * room + costs[stop + 1]
      if not best or cost < best then best = cost end
    end
    costs[start] = best
  end
  return costs[1]
end

local function mix(h, x) return (h * 31 + x) % 1000000007 end

local function hash_text(h, text)
  for i = 1, #text do h = mix(h, text:byte(i)) end
  return h
end

return {
  setup = function(data) return data end,
  run = function(data)
    local h = 7
    for _, width in ipairs(data.widths) do
      local lines, costs = {}, {}
      for i, paragraph in ipairs(data.paragraphs) do
        format_paragraph(lines, width, words_of(paragraph))
        costs[i] = least_raggedness(width, words_of(paragraph))
      end
      for i = 1, #lines, 10 do h = hash_text(h, lines[i]) end
      for _, line in ipairs(lines) do h = mix(h, #line) end
      for _, cost in ipairs(costs) do h = mix(h, cost) end
    end
    return h
  end,
}
