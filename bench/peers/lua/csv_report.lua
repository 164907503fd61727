-- A sales report from CSV text: splitting lines, quoted fields, amounts in cents, totals by region, month and product.
local function split_line(line)
  local fields, n, pos = {}, 0, 1
  while true do
    local field
    if line:sub(pos, pos) == '"' then
      local parts, from = {}, pos + 1
      while true do
        local q = line:find('"', from, true)
        parts[#parts + 1] = line:sub(from, q - 1)
        if line:sub(q + 1, q + 1) ~= '"' then
          pos = q + 1
          break
        end
        parts[#parts + 1] = '"'
        from = q + 2
      end
      field = table.concat(parts)
    else
      local comma = line:find(",", pos, true) or #line + 1
      field = line:sub(pos, comma - 1)
      pos = comma
    end
    n = n + 1
    fields[n] = field
    if pos > #line then return fields end
    pos = pos + 1
  end
end

local function parse_csv(text)
  local header, rows = nil, {}
  for line in text:gmatch("[^\n]+") do
    local fields = split_line(line)
    if not header then
      header = fields
    else
      local row = {}
      for i, name in ipairs(header) do row[name] = fields[i] end
      rows[#rows + 1] = row
    end
  end
  return rows
end

local function parse_cents(text)
  local whole, cents = text:match("^(%d+)%.(%d+)$")
  return tonumber(whole) * 100 + tonumber(cents)
end

local function money(cents)
  return string.format("%d.%02d", math.floor(cents / 100), cents % 100)
end

local function totals_by(sales, field)
  local totals = {}
  for _, sale in ipairs(sales) do
    local k = sale[field]
    totals[k] = (totals[k] or 0) + sale.amount
  end
  return totals
end

local function total(sales)
  local sum = 0
  for _, sale in ipairs(sales) do sum = sum + sale.amount end
  return sum
end

local function best(totals)
  local name, amount
  for k, v in pairs(totals) do
    if not name or v > amount or (v == amount and k < name) then name, amount = k, v end
  end
  return name, amount
end

local function sorted_keys(t)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  table.sort(keys)
  return keys
end

local function region_lines(report, region, sales)
  local function add(...) report[#report + 1] = string.format(...) end
  local product, amount = best(totals_by(sales, "product"))
  local customer, bought = best(totals_by(sales, "customer"))
  add("%s: %d orders, %s", region, #sales, money(total(sales)))
  add("  best product %s %s", product, money(amount))
  add("  best customer %s %s", customer, money(bought))
  local months = totals_by(sales, "month")
  for _, month in ipairs(sorted_keys(months)) do add("  %s %s", month, money(months[month])) end
end

local function hash_text(h, text)
  for i = 1, #text do h = (h * 31 + text:byte(i)) % 1000000007 end
  return h
end

return {
  setup = function(data) return data end,
  run = function(data)
    local sales, regions, units = {}, {}, 0
    for _, row in ipairs(parse_csv(data.text)) do
      if row.status == "paid" then
        row.quantity = tonumber(row.quantity)
        row.amount = row.quantity * parse_cents(row.price)
        row.month = row.date:sub(1, 7)
        sales[#sales + 1] = row
        units = units + row.quantity
        local group = regions[row.region]
        if not group then
          group = {}
          regions[row.region] = group
        end
        group[#group + 1] = row
      end
    end
    local report = {}
    for _, region in ipairs(sorted_keys(regions)) do region_lines(report, region, regions[region]) end
    report[#report + 1] = "units " .. units
    report[#report + 1] = "total " .. money(total(sales))
    local h = 7
    for _, line in ipairs(report) do h = hash_text(h, line) end
    return h
  end,
}
