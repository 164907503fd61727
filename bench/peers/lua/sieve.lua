-- Sieve of Eratosthenes over an array of flags, counting and summing the primes.
local function sieve(n)
  local flags = {}
  for i = 1, n do flags[i] = true end
  flags[1] = false
  local p = 2
  while p * p <= n do
    if flags[p] then
      for i = p * p, n, p do flags[i] = false end
    end
    p = p + 1
  end
  return flags
end

return {
  setup = function(data) return data end,
  run = function(data)
    local count, sum = 0, 0
    for i, prime in ipairs(sieve(data.n)) do
      if prime then
        count = count + 1
        sum = sum + i
      end
    end
    return (31 * count + sum) % 1000000007
  end,
}
