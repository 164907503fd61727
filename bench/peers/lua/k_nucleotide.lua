-- K-nucleotide: frequencies of all substrings of several lengths of a DNA text, counted in hash tables.
local patterns = {"GGT", "GGTA", "GGTATT", "GGTATTTTAATT", "GGTATTTTAATTTATAGT"}

local function count_frames(dna, size)
  local counts = {}
  for i = 1, #dna - size + 1 do
    local frame = dna:sub(i, i + size - 1)
    counts[frame] = (counts[frame] or 0) + 1
  end
  return counts
end

local function report_shares(lines, dna, size)
  local counts = count_frames(dna, size)
  local frames, total = {}, 0
  for frame, n in pairs(counts) do
    frames[#frames + 1] = frame
    total = total + n
  end
  table.sort(frames, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  for _, frame in ipairs(frames) do
    lines[#lines + 1] = frame .. " " .. math.floor(100000 * counts[frame] / total)
  end
end

local function hash_text(h, text)
  for i = 1, #text do h = (h * 31 + text:byte(i)) % 1000000007 end
  return h
end

return {
  setup = function(data) return data end,
  run = function(data)
    local dna = data.dna:upper()
    local lines = {}
    report_shares(lines, dna, 1)
    report_shares(lines, dna, 2)
    for _, pattern in ipairs(patterns) do
      lines[#lines + 1] = (count_frames(dna, #pattern)[pattern] or 0) .. " " .. pattern
    end
    local h = 7
    for _, line in ipairs(lines) do h = hash_text(h, line) end
    return h
  end,
}
