"""Towers of Hanoi: recursive moves of disks between three piles held as linked lists, each move checked."""


class Disk:
    __slots__ = ("size", "next")

    def __init__(self, size):
        self.size = size
        self.next = None


class Game:
    def __init__(self):
        self.piles = [None, None, None]
        self.moves = 0

    def push(self, disk, pile):
        top = self.piles[pile]
        if top and disk.size >= top.size:
            raise ValueError("cannot put a bigger disk on a smaller one")
        disk.next = top
        self.piles[pile] = disk

    def move_top(self, start, end):
        disk = self.piles[start]
        self.piles[start] = disk.next
        self.push(disk, end)
        self.moves += 1

    def move_disks(self, n, start, end):
        if n == 1:
            self.move_top(start, end)
            return
        other = 3 - start - end
        self.move_disks(n - 1, start, other)
        self.move_top(start, end)
        self.move_disks(n - 1, other, end)


def run(data):
    game = Game()
    for size in reversed(range(data["disks"])):
        game.push(Disk(size), 0)
    game.move_disks(data["disks"], 0, 1)
    count, disk = 0, game.piles[1]
    while disk:
        count += 1
        disk = disk.next
    return game.moves * 100 + count
