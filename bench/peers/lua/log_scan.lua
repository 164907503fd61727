-- Scanning server log lines with a pattern: counts by hour and level, failures and slow times by route, slowest requests.
local line_pattern =
  "^(%d%d%d%d%-%d%d%-%d%d)T(%d%d):%d%d:%d%dZ (%w+) %[(%w+)%] (%w+) (%S+) status=(%d+) dur=(%d+)ms$"

local function parse_line(index, line)
  local date, hour, level, host, method, path, status, duration = line:match(line_pattern)
  if not date then return nil end
  return {
    index = index,
    date = date,
    hour = hour,
    level = level,
    host = host,
    route = method .. " " .. path:gsub("/%d+", "/:id"),
    status = tonumber(status),
    duration = tonumber(duration),
  }
end

local function sorted_keys(t)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  table.sort(keys)
  return keys
end

local function route_line(route, requests)
  local times, failed, sum = {}, 0, 0
  for i, r in ipairs(requests) do
    times[i] = r.duration
    sum = sum + r.duration
    if r.status >= 500 then failed = failed + 1 end
  end
  table.sort(times)
  local n = #times
  return string.format("%s n=%d failed=%d mean=%d p95=%d", route, n, failed,
    math.floor(sum / n), times[math.floor(95 * (n - 1) / 100) + 1])
end

local function hash_text(h, text)
  for i = 1, #text do h = (h * 31 + text:byte(i)) % 1000000007 end
  return h
end

return {
  setup = function(data) return data end,
  run = function(data)
    local entries, levels, routes, hosts = {}, {}, {}, {}
    for i, line in ipairs(data.lines) do
      local entry = parse_line(i - 1, line)
      if entry then
        entries[#entries + 1] = entry
        local key = entry.hour .. " " .. entry.level
        levels[key] = (levels[key] or 0) + 1
        local group = routes[entry.route]
        if not group then
          group = {}
          routes[entry.route] = group
        end
        group[#group + 1] = entry
        if entry.level == "ERROR" then hosts[entry.host] = (hosts[entry.host] or 0) + 1 end
      end
    end
    local report = {"skipped " .. (#data.lines - #entries)}
    local function add(line) report[#report + 1] = line end
    for _, key in ipairs(sorted_keys(levels)) do add(key .. " " .. levels[key]) end
    for _, route in ipairs(sorted_keys(routes)) do add(route_line(route, routes[route])) end
    for _, host in ipairs(sorted_keys(hosts)) do add("errors on " .. host .. " " .. hosts[host]) end
    table.sort(entries, function(a, b)
      if a.duration ~= b.duration then return a.duration > b.duration end
      return a.index < b.index
    end)
    for i = 1, math.min(data.top, #entries) do
      local e = entries[i]
      add(string.format("%d %s %s %d", e.index, e.date, e.route, e.duration))
    end
    local h = 7
    for _, line in ipairs(report) do h = hash_text(h, line) end
    return h
  end,
}
