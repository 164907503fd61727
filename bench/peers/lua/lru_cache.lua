-- A least-recently-used cache under a stream of gets, puts and deletes: a table of entries in a doubly linked list.
local Cache = {}
Cache.__index = Cache

local function new_cache(capacity)
  local ends = {}
  ends.older, ends.newer = ends, ends
  return setmetatable({entries = {}, ends = ends, count = 0, capacity = capacity, evicted = 0}, Cache)
end

local function unlink(entry)
  entry.older.newer = entry.newer
  entry.newer.older = entry.older
end

function Cache:link_newest(entry)
  local ends = self.ends
  entry.older, entry.newer = ends.older, ends
  ends.older.newer = entry
  ends.older = entry
end

function Cache:get(key)
  local entry = self.entries[key]
  if not entry then return nil end
  unlink(entry)
  self:link_newest(entry)
  return entry.value
end

function Cache:forget(key)
  local entry = self.entries[key]
  if entry then
    unlink(entry)
    self.entries[key] = nil
    self.count = self.count - 1
  end
end

function Cache:put(key, value)
  local entry = self.entries[key]
  if entry then
    entry.value = value
    unlink(entry)
    self:link_newest(entry)
    return
  end
  entry = {key = key, value = value}
  self.entries[key] = entry
  self:link_newest(entry)
  self.count = self.count + 1
  if self.count > self.capacity then
    self:forget(self.ends.newer.key)
    self.evicted = self.evicted + 1
  end
end

local function mix(h, x) return (h * 31 + x) % 1000000007 end

return {
  setup = function(data) return data end,
  run = function(data)
    local cache = new_cache(data.capacity)
    local h, hits, misses = 7, 0, 0
    for _, op in ipairs(data.ops) do
      if op.op == "get" then
        local value = cache:get(op.key)
        if value then
          hits = hits + 1
          h = mix(h, value)
        else
          misses = misses + 1
        end
      elseif op.op == "put" then
        cache:put(op.key, op.value)
      else
        cache:forget(op.key)
      end
    end
    h = mix(mix(mix(mix(h, hits), misses), cache.evicted), cache.count)
    local entry = cache.ends.newer
    while entry ~= cache.ends do
      h = mix(h, entry.value)
      entry = entry.newer
    end
    return h
  end,
}
