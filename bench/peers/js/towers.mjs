// Towers of Hanoi: recursive moves of disks between three piles held as linked lists, each move checked.
class Game {
  piles = [null, null, null];
  moves = 0;

  push(disk, pile) {
    const top = this.piles[pile];
    if (top && disk.size >= top.size) throw new Error("cannot put a bigger disk on a smaller one");
    disk.next = top;
    this.piles[pile] = disk;
  }

  moveTop(from, to) {
    const disk = this.piles[from];
    this.piles[from] = disk.next;
    this.push(disk, to);
    this.moves++;
  }

  moveDisks(n, from, to) {
    if (n === 1) {
      this.moveTop(from, to);
      return;
    }
    const other = 3 - from - to;
    this.moveDisks(n - 1, from, other);
    this.moveTop(from, to);
    this.moveDisks(n - 1, other, to);
  }
}

export function run({ disks }) {
  const game = new Game();
  for (let size = disks - 1; size >= 0; size--) game.push({ size, next: null }, 0);
  game.moveDisks(disks, 0, 1);
  let count = 0;
  for (let disk = game.piles[1]; disk; disk = disk.next) count++;
  return game.moves * 100 + count;
}
