// Bounce: balls moving in a box, one object per ball, counting the bounces.
const limit = 500;

function newRandom() {
  let seed = 74755;
  return () => (seed = (seed * 1309 + 13849) % 65536);
}

class Ball {
  constructor(random) {
    this.x = random() % limit;
    this.y = random() % limit;
    this.vx = (random() % 300) - 150;
    this.vy = (random() % 300) - 150;
  }

  step() {
    let bounced = false;
    this.x += this.vx;
    this.y += this.vy;
    if (this.x > limit) {
      this.x = limit;
      this.vx = -Math.abs(this.vx);
      bounced = true;
    }
    if (this.x < 0) {
      this.x = 0;
      this.vx = Math.abs(this.vx);
      bounced = true;
    }
    if (this.y > limit) {
      this.y = limit;
      this.vy = -Math.abs(this.vy);
      bounced = true;
    }
    if (this.y < 0) {
      this.y = 0;
      this.vy = Math.abs(this.vy);
      bounced = true;
    }
    return bounced;
  }
}

export function run(data) {
  const random = newRandom();
  const balls = Array.from({ length: data.balls }, () => new Ball(random));
  let bounces = 0;
  for (let frame = 0; frame < data.frames; frame++) {
    for (const ball of balls) {
      if (ball.step()) bounces++;
    }
  }
  return bounces;
}
