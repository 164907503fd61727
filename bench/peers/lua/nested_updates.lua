-- A stream of shop events applied to nested tables of tenants, users and orders, made where missing.
local function child(t, key)
  local c = t[key]
  if not c then
    c = {}
    t[key] = c
  end
  return c
end

local function bump(t, key, n) t[key] = (t[key] or 0) + n end

local function order_total(order)
  local sum = 0
  for _, line in pairs(order.lines) do sum = sum + line.quantity * line.price end
  return sum
end

local function user_of(state, e)
  return child(child(child(state, e.tenant), "users"), e.user)
end

local function find_order(state, e)
  local tenant = state[e.tenant]
  local user = tenant and tenant.users and tenant.users[e.user]
  return user and user.orders and user.orders[e.order], user, tenant
end

local handlers = {}

function handlers.add(state, e)
  local lines = child(child(child(user_of(state, e), "orders"), e.order), "lines")
  local line = child(lines, e.sku)
  bump(line, "quantity", e.quantity)
  line.price = e.price
  bump(child(state[e.tenant], "stock"), e.sku, -e.quantity)
end

function handlers.drop(state, e)
  local order, _, tenant = find_order(state, e)
  local line = order and order.lines[e.sku]
  if line then
    order.lines[e.sku] = nil
    bump(tenant.stock, e.sku, line.quantity)
  end
end

function handlers.pay(state, e)
  local order, user, tenant = find_order(state, e)
  if order and next(order.lines) then
    local total = order_total(order)
    user.orders[e.order] = nil
    table.insert(child(user, "paid"), {order = e.order, total = total, day = e.day})
    bump(user, "spent", total)
    child(child(user, "last"), "payment").day = e.day
    bump(child(tenant, "income"), e.day, total)
  end
end

function handlers.prefer(state, e)
  child(user_of(state, e), "settings").favourite = {sku = e.sku, since = e.day}
end

function handlers.restock(state, e)
  bump(child(child(state, e.tenant), "stock"), e.sku, 10 * e.quantity)
end

local function mix(h, x) return (h * 31 + x) % 1000000007 end

local function sorted_keys(t)
  local keys = {}
  for k in pairs(t or {}) do keys[#keys + 1] = k end
  table.sort(keys)
  return keys
end

local function mix_user(h, user)
  local count, open, paid = 0, 0, 0
  for _, order in pairs(user.orders or {}) do
    count = count + 1
    open = open + order_total(order)
  end
  for _, p in ipairs(user.paid or {}) do paid = paid + p.day * (p.total % 97) end
  h = mix(mix(h, count), open)
  h = mix(h, user.spent or 0)
  h = mix(h, user.settings and user.settings.favourite.since or 0)
  h = mix(h, user.last and user.last.payment.day or 0)
  return mix(h, paid)
end

return {
  setup = function(data) return data end,
  run = function(data)
    local state = {}
    for _, event in ipairs(data.events) do handlers[event.kind](state, event) end
    local h = 7
    for _, name in ipairs(sorted_keys(state)) do
      local tenant = state[name]
      local users = sorted_keys(tenant.users)
      h = mix(h, #users)
      for _, user in ipairs(users) do h = mix_user(h, tenant.users[user]) end
      for _, sku in ipairs(sorted_keys(tenant.stock)) do h = mix(h, tenant.stock[sku]) end
      for _, day in ipairs(sorted_keys(tenant.income)) do h = mix(mix(h, day), tenant.income[day]) end
    end
    return h
  end,
}
