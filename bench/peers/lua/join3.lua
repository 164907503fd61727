-- Three-way join of record lists (customers, orders, items) by hash index, then totals by country and month and best customers.
local function index_by(field, records)
  local index = {}
  for _, record in ipairs(records) do index[record[field]] = record end
  return index
end

local function join_all(customers, orders, items)
  local customer_of, order_of = index_by("id", customers), index_by("id", orders)
  local rows = {}
  for _, item in ipairs(items) do
    local order = order_of[item.order]
    local customer = order and customer_of[order.customer]
    if customer then
      rows[#rows + 1] = {
        order = item.order,
        sku = item.sku,
        quantity = item.quantity,
        price = item.price,
        amount = item.quantity * item.price,
        month = order.date:sub(1, 7),
        channel = order.channel,
        name = customer.name,
        country = customer.country,
        segment = customer.segment,
      }
    end
  end
  return rows
end

local function totals_by(key, rows)
  local totals = {}
  for _, row in ipairs(rows) do
    local k = key(row)
    totals[k] = (totals[k] or 0) + row.amount
  end
  return totals
end

local function sorted_keys(t, before)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  table.sort(keys, before)
  return keys
end

local function group_by(field, rows)
  local groups = {}
  for _, row in ipairs(rows) do
    local group = groups[row[field]]
    if not group then
      group = {}
      groups[row[field]] = group
    end
    group[#group + 1] = row
  end
  return groups
end

local function hash_text(h, text)
  for i = 1, #text do h = (h * 31 + text:byte(i)) % 1000000007 end
  return h
end

return {
  setup = function(data) return data end,
  run = function(data)
    local rows = join_all(data.customers, data.orders, data.items)
    local report = {"joined " .. #rows .. " of " .. #data.items}
    local function add(line) report[#report + 1] = line end

    local months = totals_by(function(r) return r.country .. " " .. r.month end, rows)
    for _, key in ipairs(sorted_keys(months)) do add(key .. " " .. months[key]) end

    local channels = totals_by(function(r) return r.segment .. "/" .. r.channel end, rows)
    for _, key in ipairs(sorted_keys(channels)) do add(key .. " " .. channels[key]) end

    local countries = group_by("country", rows)
    for _, country in ipairs(sorted_keys(countries)) do
      local totals = totals_by(function(r) return r.name end, countries[country])
      local names = sorted_keys(totals, function(a, b)
        if totals[a] ~= totals[b] then return totals[a] > totals[b] end
        return a < b
      end)
      for i = 1, math.min(3, #names) do add(country .. " " .. names[i] .. " " .. totals[names[i]]) end
    end

    local buyers, idle = {}, {}
    for _, order in ipairs(data.orders) do buyers[order.customer] = true end
    for _, customer in ipairs(data.customers) do
      if not buyers[customer.id] then idle[#idle + 1] = customer end
    end
    table.sort(idle, function(a, b) return a.id < b.id end)
    for _, customer in ipairs(idle) do add(customer.name) end

    local h = 7
    for _, line in ipairs(report) do h = hash_text(h, line) end
    return h
  end,
}
