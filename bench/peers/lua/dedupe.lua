-- Near duplicates in contact records: normalised e-mail and name keys, clusters joined by shared keys, merged records.
local function trim(s) return s:match("^%s*(.-)%s*$") end

local function email_key(email)
  local user, domain = trim(email):lower():match("^([^@]*)@(.*)$")
  user = user:match("^[^+]*"):gsub("%.", "")
  return "e:" .. user .. "@" .. domain
end

local function name_key(record)
  local words = {}
  for word in record.name:lower():gsub("[^a-z ]", ""):gmatch("[^ ]+") do words[#words + 1] = word end
  table.sort(words)
  return "n:" .. table.concat(words, " ") .. "/" .. record.phone:gsub("[^0-9]", ""):sub(-7)
end

local function find_root(parents, id)
  while parents[id] do id = parents[id] end
  return id
end

local function longer(a, b)
  return #b > #a and b or a
end

local function mix(h, x) return (h * 31 + x) % 1000000007 end

return {
  setup = function(data) return data end,
  run = function(data)
    -- owners maps each key to the first record that had it; parents maps a record to an earlier one of its cluster.
    local owners, parents = {}, {}
    for _, record in ipairs(data.records) do
      local id = record.id
      local a, b = email_key(record.email), name_key(record)
      local ra = owners[a] and find_root(parents, owners[a])
      local rb = owners[b] and find_root(parents, owners[b])
      local root = ra or rb or id
      if rb and rb < root then root = rb end
      if ra and ra ~= root then parents[ra] = root end
      if rb and rb ~= root then parents[rb] = root end
      if id ~= root then parents[id] = root end
      owners[a] = owners[a] or id
      owners[b] = owners[b] or id
    end

    local merged, sizes, roots = {}, {}, {}
    for _, record in ipairs(data.records) do
      local root = find_root(parents, record.id)
      local m = merged[root]
      if not m then
        roots[#roots + 1] = root
        sizes[root] = 1
        merged[root] = {id = record.id, name = record.name, email = record.email,
                        phone = record.phone, spent = record.spent}
      else
        sizes[root] = sizes[root] + 1
        m.id = math.min(m.id, record.id)
        m.name = longer(m.name, record.name)
        m.email = longer(m.email, record.email)
        m.phone = longer(m.phone, record.phone)
        m.spent = m.spent + record.spent
      end
    end
    table.sort(roots)
    local h = #roots
    for _, root in ipairs(roots) do
      local m = merged[root]
      for _, x in ipairs {root, sizes[root], m.id, #m.name, #m.email, #m.phone, m.spent} do
        h = mix(h, x)
      end
    end
    return h
  end,
}
