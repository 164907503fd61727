-- Edit distance by rows: finding for each misspelt word the nearest words of a dictionary.
local min = math.min

local function distance(a, b)
  local row = {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local letter = a:byte(i)
    local diagonal = row[0]
    row[0] = i
    for j = 1, #b do
      local above = row[j]
      if letter == b:byte(j) then
        row[j] = diagonal
      else
        row[j] = min(diagonal, above, row[j - 1]) + 1
      end
      diagonal = above
    end
  end
  return row[#b]
end

local function suggest(dictionary, word)
  local found = {}
  for _, entry in ipairs(dictionary) do
    if math.abs(#entry - #word) <= 2 then
      found[#found + 1] = {distance = distance(word, entry), entry = entry}
    end
  end
  table.sort(found, function(a, b)
    if a.distance ~= b.distance then return a.distance < b.distance end
    return a.entry < b.entry
  end)
  return found
end

local function hash_text(h, text)
  for i = 1, #text do h = (h * 31 + text:byte(i)) % 1000000007 end
  return h
end

return {
  setup = function(data) return data end,
  run = function(data)
    local h = 7
    for _, word in ipairs(data.words) do
      local found = suggest(data.dictionary, word)
      for i = 1, math.min(3, #found) do h = hash_text(h + found[i].distance, found[i].entry) end
    end
    return h
  end,
}
