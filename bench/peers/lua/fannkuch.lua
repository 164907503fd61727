-- Fannkuch: all permutations of n numbers in rotation order, counting the prefix reversals each needs.
local function count_flips(perm, scratch, n)
  for i = 1, n do scratch[i] = perm[i] end
  local flips = 0
  local top = scratch[1]
  while top ~= 0 do
    local i, j = 1, top + 1
    while i < j do
      scratch[i], scratch[j] = scratch[j], scratch[i]
      i, j = i + 1, j - 1
    end
    flips = flips + 1
    top = scratch[1]
  end
  return flips
end

-- Steps perm to the next permutation; false when all have been seen.
local function advance(perm, turns, n)
  for i = 1, n - 1 do
    local first = perm[1]
    for j = 1, i do perm[j] = perm[j + 1] end
    perm[i + 1] = first
    if turns[i] < i then
      turns[i] = turns[i] + 1
      return true
    end
    turns[i] = 0
  end
  return false
end

return {
  setup = function(data) return data end,
  run = function(data)
    local n = data.n
    local perm, turns, scratch = {}, {}, {}
    for i = 1, n do
      perm[i] = i - 1
      turns[i] = 0
    end
    local checksum, most, even = 0, 0, true
    repeat
      local flips = count_flips(perm, scratch, n)
      checksum = even and checksum + flips or checksum - flips
      if flips > most then most = flips end
      even = not even
    until not advance(perm, turns, n)
    return checksum * 100 + most
  end,
}
