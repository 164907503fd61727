-- A JSON reader and writer written in the language itself: character tests, recursive descent, strings put together.
local null = {}
local array_mt = {}
local escapes = {n = "\n", t = "\t", r = "\r", b = "\b", f = "\f"}
local unescapes = {['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t"}

local parse_value

local function skip_space(s, i)
  return s:find("[^ \n\t\r]", i) or #s + 1
end

-- Every parse function takes the text and a position, and answers value, position after.
local function parse_string(s, start)
  local parts, from = {}, start + 1
  while true do
    local i = s:find('["\\]', from)
    parts[#parts + 1] = s:sub(from, i - 1)
    if s:sub(i, i) == '"' then return table.concat(parts), i + 1 end
    local c = s:sub(i + 1, i + 1)
    if c == "u" then
      parts[#parts + 1] = string.char(tonumber(s:sub(i + 2, i + 5), 16))
      from = i + 6
    else
      parts[#parts + 1] = escapes[c] or c
      from = i + 2
    end
  end
end

local function parse_number(s, start)
  local text = s:match("^[-+.eE0-9]+", start)
  return tonumber(text), start + #text
end

local function parse_array(s, start)
  local items, n = setmetatable({}, array_mt), 0
  local i = skip_space(s, start + 1)
  while s:sub(i, i) ~= "]" do
    n = n + 1
    items[n], i = parse_value(s, i)
    i = skip_space(s, i)
    if s:sub(i, i) == "," then i = skip_space(s, i + 1) end
  end
  return items, i + 1
end

local function parse_object(s, start)
  local fields = {}
  local i = skip_space(s, start + 1)
  while s:sub(i, i) ~= "}" do
    local key
    key, i = parse_string(s, i)
    fields[key], i = parse_value(s, skip_space(s, i) + 1)
    i = skip_space(s, i)
    if s:sub(i, i) == "," then i = skip_space(s, i + 1) end
  end
  return fields, i + 1
end

function parse_value(s, start)
  local i = skip_space(s, start)
  local c = s:sub(i, i)
  if c == "{" then return parse_object(s, i) end
  if c == "[" then return parse_array(s, i) end
  if c == '"' then return parse_string(s, i) end
  if c == "t" then return true, i + 4 end
  if c == "f" then return false, i + 5 end
  if c == "n" then return null, i + 4 end
  return parse_number(s, i)
end

local function write_string(s)
  return '"' .. s:gsub('["\\\n\t]', unescapes) .. '"'
end

local function write_value(v)
  if v == null then return "null" end
  if type(v) == "string" then return write_string(v) end
  if type(v) ~= "table" then return tostring(v) end
  local parts = {}
  if getmetatable(v) == array_mt then
    for i, item in ipairs(v) do parts[i] = write_value(item) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  local keys = {}
  for key in pairs(v) do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do parts[i] = write_string(key) .. ":" .. write_value(v[key]) end
  return "{" .. table.concat(parts, ",") .. "}"
end

local function count_values(v)
  local n = 1
  if type(v) == "table" then
    for _, item in pairs(v) do n = n + count_values(item) end
  end
  return n
end

return {
  setup = function(data) return data end,
  run = function(data)
    local text, values = data.text, 0
    for _ = 1, data.rounds do
      local value = parse_value(text, 1)
      values = values + count_values(value)
      text = write_value(value)
    end
    local h = values
    for i = 1, #text do h = (h * 31 + text:byte(i)) % 1000000007 end
    return h
  end,
}
