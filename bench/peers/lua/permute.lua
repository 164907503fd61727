-- Permute: all permutations of an array by recursive swapping and swapping back, counting the calls.
local function swap(items, i, j)
  items[i], items[j] = items[j], items[i]
end

local function permute(state, n)
  state.calls = state.calls + 1
  if n == 0 then
    state.sum = (state.sum * 31 + state.items[1]) % 1000000007
    return
  end
  permute(state, n - 1)
  for i = n, 1, -1 do
    swap(state.items, n, i)
    permute(state, n - 1)
    swap(state.items, n, i)
  end
end

return {
  setup = function(data) return data end,
  run = function(data)
    local state = {items = {}, calls = 0, sum = 7}
    for i = 1, data.n do state.items[i] = i - 1 end
    permute(state, data.n)
    return (state.calls * 1000 + state.sum + state.items[data.n]) % 1000000007
  end,
}
