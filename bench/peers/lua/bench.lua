-- The workloads for Lua 5.4 and LuaJIT: name -> {set-up, run}. The host gives read_file(path) and DATA, a folder.
local W = {}
local floor = math.floor
local function rng(seed)
  local x = seed
  return function() x = (x * 16807) % 2147483647; return x end
end
local REG = {"north", "south", "east", "west", "central"}
local ST = {"paid", "pending", "shipped", "cancelled"}
local function orders(n)
  local r, a = rng(42), {}
  for i = 0, n - 1 do
    local c, g, s = "c" .. string.format("%d", r() % 1000), REG[r() % 5 + 1], ST[r() % 4 + 1]
    local amt = (r() % 40000) / 4
    a[i + 1] = {id = i, customer = c, region = g, status = s, amount = amt, qty = 1 + r() % 9}
  end
  return a
end
local function map(f, t) local o = {} for i = 1, #t do o[i] = f(t[i]) end return o end
local function filter(f, t) local o, k = {}, 0 for i = 1, #t do local v = t[i] if f(v) then k = k + 1 o[k] = v end end return o end
local function reduce(f, acc, t) for i = 1, #t do acc = f(acc, t[i]) end return acc end

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
W.fib = {function() return nil end, function() return fib(27) end}

W.loop_sum = {function() end, function()
  local s = 0
  for i = 0, 3000000 - 1 do s = s + i end
  return s
end}

W.mandel = {function() end, function()
  local w, total = 256, 0
  for py = 0, w - 1 do
    local cy = -1.5 + 3.0 * py / w
    for px = 0, w - 1 do
      local cx = -2.0 + 3.0 * px / w
      local zr, zi, n = 0.0, 0.0, 0
      while n < 50 and zr * zr + zi * zi <= 4.0 do
        local t = zr * zr - zi * zi + cx
        zi = 2.0 * zr * zi + cy
        zr = t
        n = n + 1
      end
      total = total + n
    end
  end
  return total
end}

W.closures = {function() end, function()
  local function mk(k) return function(x) return (x + k) % 1000003 end end
  local acc = 1
  for i = 0, 500000 - 1 do
    local f, g = mk(i), mk(i + 1)
    acc = g(f(acc))
  end
  return acc
end}

W.strbuild = {function() end, function()
  local p = {}
  for i = 0, 100000 - 1 do p[#p + 1] = "item-" .. i end
  return #table.concat(p, ",")
end}

W.pipeline = {function() end, function()
  local xs = {}
  for i = 0, 1000000 - 1 do xs[i + 1] = i end
  return reduce(function(a, x) return a + x end, 0,
    filter(function(x) return x % 2 == 0 end, map(function(x) return x * 3 + 1 end, xs)))
end}

W.map_update = {function() end, function()
  local m, n = {}, 200000
  for i = 0, n - 1 do m[(i * 7919) % 200003] = i end
  local s = 0
  for i = 0, n - 1 do s = s + (m[i] or 0) end
  return s
end}

W.vec_conj = {function() end, function()
  local v, n = {}, 1000000
  for i = 0, n - 1 do v[#v + 1] = i end
  local s = 0
  for i = 1, n do s = s + v[i] end
  return s
end}

W.sort_nums = {function()
  local r, a = rng(99), {}
  for i = 1, 200000 do a[i] = r() end
  return a
end, function(a)
  local c = table.move(a, 1, #a, 1, {})
  table.sort(c)
  local s = 0
  for i = 1, #c do s = s + ((i - 1) % 7) * c[i] end
  return s
end}

W.sort_by = {function() return orders(100000) end, function(a)
  local c = table.move(a, 1, #a, 1, {})
  table.sort(c, function(x, y) return x.amount < y.amount end)
  local s = 0
  for i = 1, #c do s = s + ((i - 1) % 7) * c[i].amount end
  return s * 4
end}

W.group_agg = {function() return orders(100000) end, function(a)
  local g = {}
  for _, o in ipairs(a) do
    local b = g[o.customer]
    if b then b[#b + 1] = o else g[o.customer] = {o} end
  end
  local rows = {}
  for c, os in pairs(g) do
    local t, q = 0, 0
    for _, o in ipairs(os) do t = t + o.amount; if o.qty > q then q = o.qty end end
    rows[#rows + 1] = {customer = c, count = #os, total = t, maxqty = q}
  end
  table.sort(rows, function(x, y) return x.total > y.total end)
  local s = #rows
  for i = 1, 10 do s = s + rows[i].total * 4 + rows[i].count + rows[i].maxqty end
  return s
end}

W.join = {function()
  local u, r, o = {}, rng(7), {}
  for j = 0, 49999 do u[j + 1] = {id = string.format("u%d", j), name = string.format("n%d", j), tier = j % 3} end
  for i = 0, 49999 do local x = r() % 50000; o[i + 1] = {id = i, uid = string.format("u%d", x), amount = (r() % 40000) / 4} end
  return {u, o}
end, function(d)
  local idx, out = {}, {}
  for _, u in ipairs(d[1]) do idx[u.id] = u end
  for _, o in ipairs(d[2]) do
    local u = idx[o.uid]
    if u.tier == 1 then
      out[#out + 1] = {id = o.id, uid = o.uid, amount = o.amount, name = u.name, tier = u.tier}
    end
  end
  local s = #out
  for _, o in ipairs(out) do s = s + o.amount * 4 end
  return s
end}

W.wordfreq = {function() return read_file(DATA .. "/text.txt") end, function(t)
  local f = {}
  for w in string.gmatch(t, "%S+") do f[w] = (f[w] or 0) + 1 end
  local a = {}
  for w, c in pairs(f) do a[#a + 1] = {w, c} end
  table.sort(a, function(x, y) return x[2] > y[2] end)
  local s = #a
  for i = 1, 10 do s = s + a[i][2] * 1000 end
  return s
end}

W.regex = {function() return read_file(DATA .. "/mails.txt") end, function(t)
  local n, len = 0, 0
  for m in string.gmatch(t, "[a-z0-9]+@[a-z]+%.com") do n = n + 1; len = len + #m end
  return n * 1000000 + len
end}

W.nqueens = {function() end, function()
  local function safe(qs, k, col)
    for i = 1, k do
      local q = qs[i]
      local d = k + 1 - i
      if q == col or q == col + d or q == col - d then return false end
    end
    return true
  end
  local function solve(qs, k, n)
    if k == n then return 1 end
    local c = 0
    for col = 0, n - 1 do
      if safe(qs, k, col) then qs[k + 1] = col; c = c + solve(qs, k + 1, n) end
    end
    return c
  end
  local t = 0
  for _ = 1, 10 do t = t + solve({}, 0, 8) end
  return t
end}

W.deep_rec = {function() end, function()
  local function sum(n) if n == 0 then return 0 end return n + sum(n - 1) end
  local t = 0
  for _ = 1, 100 do t = t + sum(10000) end
  return t
end}

W.assoc_small = {function() return orders(100000) end, function(a)
  local out = map(function(o)
    local c = {}
    for k, v in pairs(o) do c[k] = v end
    c.total = o.amount * o.qty
    c.big = c.total > 5000
    return c
  end, a)
  local s = 0
  for i = 1, #out do s = s + out[i].total end
  return s * 4
end}

W.field_read = {function() return orders(100000) end, function(a)
  local s = 0
  for _ = 1, 10 do
    for i = 1, #a do local o = a[i]; s = s + o.amount * o.qty end
  end
  return s * 4
end}

return W
