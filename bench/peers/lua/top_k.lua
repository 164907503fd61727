-- Best k of records: sorted within each group, a leaderboard kept over a stream by insertion, and ranks with ties.
local function better(a, b)
  if a.score ~= b.score then return a.score > b.score end
  return a.id < b.id
end

local function mix(h, x) return (h * 31 + x) % 1000000007 end

local function top_of_groups(h, k, rows)
  local groups, teams = {}, {}
  for _, row in ipairs(rows) do
    local group = groups[row.team]
    if not group then
      group = {}
      groups[row.team] = group
      teams[#teams + 1] = row.team
    end
    group[#group + 1] = row
  end
  table.sort(teams)
  for _, team in ipairs(teams) do
    local group = groups[team]
    table.sort(group, better)
    for i = 1, math.min(k, #group) do h = mix(mix(h, group[i].id), group[i].score) end
  end
  return h
end

-- After each record the leaderboard holds the k best so far.
local function stream_leaders(k, rows)
  local board, changes = {}, 0
  for _, row in ipairs(rows) do
    if #board < k or better(row, board[k]) then
      local low, high = 1, #board + 1
      while low < high do
        local middle = math.floor((low + high) / 2)
        if better(row, board[middle]) then high = middle else low = middle + 1 end
      end
      table.insert(board, low, row)
      board[k + 1] = nil
      changes = changes + 1
    end
  end
  return board, changes
end

local function best_per_player(rows)
  local best, players = {}, {}
  for _, row in ipairs(rows) do
    local old = best[row.player]
    if not old then players[#players + 1] = row.player end
    if not old or better(row, old) then best[row.player] = row end
  end
  local out = {}
  for i, player in ipairs(players) do out[i] = best[player] end
  return out
end

return {
  setup = function(data) return data end,
  run = function(data)
    local h = top_of_groups(7, data.k, data.rows)
    local board, changes = stream_leaders(4 * data.k, data.rows)
    for _, row in ipairs(board) do h = mix(mix(h, row.score), row.id) end
    h = mix(h, changes)
    local best = best_per_player(data.rows)
    table.sort(best, better)
    local rank, score = 0, nil
    for place, row in ipairs(best) do
      if row.score ~= score then rank, score = place, row.score end
      h = mix(mix(h, rank), row.id)
    end
    return h
  end,
}
