-- Bounce: balls moving in a box, one object per ball, counting the bounces.
local limit = 500
local abs = math.abs

local function new_random()
  local seed = 74755
  return function()
    seed = (seed * 1309 + 13849) % 65536
    return seed
  end
end

local Ball = {}
Ball.__index = Ball

local function new_ball(random)
  return setmetatable({
    x = random() % limit,
    y = random() % limit,
    vx = random() % 300 - 150,
    vy = random() % 300 - 150,
  }, Ball)
end

function Ball:step()
  local bounced = false
  self.x = self.x + self.vx
  self.y = self.y + self.vy
  if self.x > limit then
    self.x, self.vx, bounced = limit, -abs(self.vx), true
  end
  if self.x < 0 then
    self.x, self.vx, bounced = 0, abs(self.vx), true
  end
  if self.y > limit then
    self.y, self.vy, bounced = limit, -abs(self.vy), true
  end
  if self.y < 0 then
    self.y, self.vy, bounced = 0, abs(self.vy), true
  end
  return bounced
end

return {
  setup = function(data) return data end,
  run = function(data)
    local random, balls, bounces = new_random(), {}, 0
    for i = 1, data.balls do balls[i] = new_ball(random) end
    for _ = 1, data.frames do
      for _, ball in ipairs(balls) do
        if ball:step() then bounces = bounces + 1 end
      end
    end
    return bounces
  end,
}
