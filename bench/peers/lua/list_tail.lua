-- List (Takl): the Takeuchi function on numbers written as linked lists, comparing lengths by walking both lists.
local function make_list(n)
  local list
  for i = 1, n do list = {value = i, next = list} end
  return list
end

local function shorter(a, b)
  while b do
    if not a then return true end
    a, b = a.next, b.next
  end
  return false
end

local function tail(x, y, z)
  if shorter(y, x) then
    return tail(tail(x.next, y, z), tail(y.next, z, x), tail(z.next, x, y))
  end
  return z
end

return {
  setup = function(data) return data end,
  run = function(data)
    local h = 7
    for _, triple in ipairs(data.triples) do
      local result = tail(make_list(triple[1]), make_list(triple[2]), make_list(triple[3]))
      local values = {}
      while result do
        values[#values + 1] = result.value
        result = result.next
      end
      h = h + #values
      for _, value in ipairs(values) do h = (h * 31 + value) % 1000000007 end
    end
    return h
  end,
}
