-- Pivot tables over records: sums and maxima by two keys, row and column totals, shares, printed as text.
local function pivot(row_key, column_key, value, combine, records)
  local result = {}
  for _, record in ipairs(records) do
    local r, c, v = row_key(record), column_key(record), value(record)
    local row = result[r]
    if not row then
      row = {}
      result[r] = row
    end
    local old = row[c]
    row[c] = old and combine(old, v) or v
  end
  return result
end

local function sorted_keys(t)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  table.sort(keys)
  return keys
end

local function row_total(row)
  local sum = 0
  for _, v in pairs(row) do sum = sum + v end
  return sum
end

local function column_totals(rows)
  local totals = {}
  for _, row in pairs(rows) do
    for c, v in pairs(row) do totals[c] = (totals[c] or 0) + v end
  end
  return totals
end

local function add_lines(lines, rows)
  local totals = column_totals(rows)
  local columns, grand = sorted_keys(totals), row_total(totals)
  lines[#lines + 1] = "key " .. table.concat(columns, " ")
  local function cells(name, row)
    local out = {name}
    for i, c in ipairs(columns) do out[i + 1] = row[c] or "-" end
    return out
  end
  for _, name in ipairs(sorted_keys(rows)) do
    local out = cells(name, rows[name])
    local total = row_total(rows[name])
    out[#out + 1] = total
    out[#out + 1] = math.floor(1000 * total / grand) .. "%o"
    lines[#lines + 1] = table.concat(out, " ")
  end
  local out = cells("total", totals)
  out[#out + 1] = grand
  lines[#lines + 1] = table.concat(out, " ")
end

local function field(name) return function(record) return record[name] end end
local function always(value) return function() return value end end
local function month(record) return record.date:sub(1, 7) end
local function gross(record) return record.amount * record.units end
local function add(a, b) return a + b end

local function hash_text(h, text)
  for i = 1, #text do h = (h * 31 + text:byte(i)) % 1000000007 end
  return h
end

return {
  setup = function(data) return data end,
  run = function(data)
    local records, lines = data.records, {}
    add_lines(lines, pivot(field "region", month, gross, add, records))
    add_lines(lines, pivot(field "product", field "region", gross, add, records))
    add_lines(lines, pivot(field "product", month, field "units", add, records))
    add_lines(lines, pivot(month, field "region", field "amount", math.max, records))
    add_lines(lines, pivot(field "seller", field "region", gross, add, records))
    add_lines(lines, pivot(field "seller", month, always(1), add, records))
    add_lines(lines, pivot(field "product", field "seller", field "units", add, records))
    add_lines(lines, pivot(field "seller", always "sales", always(1), add, records))
    local h = 7
    for _, line in ipairs(lines) do h = hash_text(h, line) end
    return h
  end,
}
