-- Matrix multiplication of arrays of rows, A times B times the transpose of A, whole numbers.
local function make_matrix(n, a, b)
  local m = {}
  for i = 0, n - 1 do
    local row = {}
    for j = 0, n - 1 do row[j + 1] = (a * i + b * j + i * j) % 19 - 9 end
    m[i + 1] = row
  end
  return m
end

local function transpose(m)
  local out = {}
  for j = 1, #m[1] do
    local row = {}
    for i = 1, #m do row[i] = m[i][j] end
    out[j] = row
  end
  return out
end

local function multiply(a, b)
  local columns, out = transpose(b), {}
  for i, row in ipairs(a) do
    local result = {}
    for j, column in ipairs(columns) do
      local sum = 0
      for k = 1, #row do sum = sum + row[k] * column[k] end
      result[j] = sum
    end
    out[i] = result
  end
  return out
end

return {
  setup = function(data) return data end,
  run = function(data)
    local a, b = make_matrix(data.n, 3, 7), make_matrix(data.n, 5, 2)
    local h = 7
    for _, row in ipairs(multiply(multiply(a, b), transpose(a))) do
      for _, x in ipairs(row) do h = (h * 31 + x) % 1000000007 end
    end
    return h
  end,
}
