-- Towers of Hanoi: recursive moves of disks between three piles held as linked lists, each move checked.
local function push_disk(game, disk, pile)
  local top = game.piles[pile]
  if top and disk.size >= top.size then error("cannot put a bigger disk on a smaller one") end
  disk.next = top
  game.piles[pile] = disk
end

local function move_top(game, from, to)
  local disk = game.piles[from]
  game.piles[from] = disk.next
  push_disk(game, disk, to)
  game.moves = game.moves + 1
end

local function move_disks(game, n, from, to)
  if n == 1 then
    move_top(game, from, to)
  else
    local other = 6 - from - to
    move_disks(game, n - 1, from, other)
    move_top(game, from, to)
    move_disks(game, n - 1, other, to)
  end
end

return {
  setup = function(data) return data end,
  run = function(data)
    local game = {piles = {}, moves = 0}
    for size = data.disks - 1, 0, -1 do push_disk(game, {size = size}, 1) end
    move_disks(game, data.disks, 1, 2)
    local count, disk = 0, game.piles[2]
    while disk do
      count = count + 1
      disk = disk.next
    end
    return game.moves * 100 + count
  end,
}
