-- Calendar arithmetic over ISO date texts by whole numbers: days between, working days, weeks, due dates, weekday histograms.
local floor = math.floor

local function div(a, b) return floor(a / b) end

local function parse_date(text)
  local y, m, d = text:match("^(%d+)-(%d+)-(%d+)$")
  return tonumber(y), tonumber(m), tonumber(d)
end

local function format_date(y, m, d)
  return string.format("%d-%02d-%02d", y, m, d)
end

local function leap_year(y)
  return y % 4 == 0 and (y % 100 ~= 0 or y % 400 == 0)
end

local month_days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

local function days_in_month(y, m)
  if m == 2 and leap_year(y) then return 29 end
  return month_days[m]
end

-- Days since 1970-01-01; years are counted from March so that the leap day comes last.
local function day_number(y, m, d)
  if m < 3 then y = y - 1 end
  local era, yoe = div(y, 400), y % 400
  local doy = div(153 * ((m + 9) % 12) + 2, 5) + d - 1
  return era * 146097 + 365 * yoe + div(yoe, 4) - div(yoe, 100) + doy - 719468
end

local function date_of(n)
  local z = n + 719468
  local era, doe = div(z, 146097), z % 146097
  local yoe = div(doe - div(doe, 1460) + div(doe, 36524) - div(doe, 146096), 365)
  local doy = doe - (365 * yoe + div(yoe, 4) - div(yoe, 100))
  local mp = div(5 * doy + 2, 153)
  local d = doy - div(153 * mp + 2, 5) + 1
  local m = mp < 10 and mp + 3 or mp - 9
  return yoe + 400 * era + (m < 3 and 1 or 0), m, d
end

-- Monday is 0.
local function weekday(n) return (n + 3) % 7 end

local function iso_week(n)
  local thursday = n + 3 - weekday(n)
  local year = date_of(thursday)
  return year, div(thursday - day_number(year, 1, 1), 7) + 1
end

local function add_months(y, m, d, months)
  local total = 12 * y + m - 1 + months
  y, m = div(total, 12), total % 12 + 1
  return y, m, math.min(d, days_in_month(y, m))
end

local function working_days(from, to)
  local weeks = div(to - from, 7)
  local count = 5 * weeks
  for n = from + 7 * weeks, to - 1 do
    if weekday(n) < 5 then count = count + 1 end
  end
  return count
end

local function next_working_day(n)
  while weekday(n) >= 5 do n = n + 1 end
  return n
end

local function mix(h, x) return (h * 31 + x) % 1000000007 end

local function sorted_keys(t)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  table.sort(keys)
  return keys
end

return {
  setup = function(data) return data end,
  run = function(data)
    local days, working = 0, 0
    local weekdays, weeks, dates = {}, {}, {}
    local function count(t, k) t[k] = (t[k] or 0) + 1 end
    for _, span in ipairs(data.spans) do
      local y, m, d = parse_date(span.start)
      local from, to = day_number(y, m, d), day_number(parse_date(span["end"]))
      days = days + to - from
      working = working + working_days(from, to)
      count(weekdays, weekday(from))
      local year, week = iso_week(from)
      count(weeks, 100 * year + week)
      count(dates, format_date(date_of(next_working_day(from + span.terms))))
      count(dates, format_date(add_months(y, m, d, span.terms % 25)))
    end
    local h = mix(days, working)
    for _, day in ipairs(sorted_keys(weekdays)) do h = mix(mix(h, day), weekdays[day]) end
    for _, week in ipairs(sorted_keys(weeks)) do h = mix(mix(h, week), weeks[week]) end
    for _, date in ipairs(sorted_keys(dates)) do
      h = mix(h, dates[date] * day_number(parse_date(date)))
    end
    return h
  end,
}
