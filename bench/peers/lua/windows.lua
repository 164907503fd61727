-- Sliding windows over a number series: moving averages, moving maximum and minimum, crossings, smoothing, greatest fall.
local floor = math.floor

local function moving_average(width, xs)
  local out, sum = {}, 0
  for i = 1, #xs do
    sum = sum + xs[i]
    if i > width then sum = sum - xs[i - width] end
    if i >= width then out[#out + 1] = floor(sum / width) end
  end
  return out
end

local function moving(f, width, xs)
  local out = {}
  for i = 1, #xs - width + 1 do
    local best = xs[i]
    for j = i + 1, i + width - 1 do best = f(best, xs[j]) end
    out[i] = best
  end
  return out
end

-- shift: how many values of xs come before the first of ys.
local function crossings(xs, ys, shift)
  local count, before = 0, nil
  for i = 1, #ys do
    local now = xs[i + shift] > ys[i]
    if i > 1 and now ~= before then count = count + 1 end
    before = now
  end
  return count
end

-- Exponential smoothing in thousandths.
local function smooth(weight, xs)
  local out, level = {}, 1000 * xs[1]
  for i = 1, #xs do
    level = floor((weight * 1000 * xs[i] + (100 - weight) * level) / 100)
    out[i] = level
  end
  return out
end

local function greatest_fall(xs)
  local high, fall = xs[1], 0
  for i = 1, #xs do
    high = math.max(high, xs[i])
    fall = math.max(fall, high - xs[i])
  end
  return fall
end

local function mix(h, x) return (h * 31 + x) % 1000000007 end

local function mix_all(h, xs)
  for i = 1, #xs do h = mix(h, xs[i]) end
  return h
end

return {
  setup = function(data) return data end,
  run = function(data)
    local xs = data.series
    local short = moving_average(data.short, xs)
    local long = moving_average(data.long, xs)
    local high = moving(math.max, data.width, xs)
    local low = moving(math.min, data.width, xs)
    local h = mix_all(mix_all(7, short), long)
    for i = 1, #high do h = mix(h, high[i] - low[i]) end
    h = mix(h, crossings(short, long, data.long - data.short))
    h = mix_all(h, smooth(20, xs))
    return mix(h, greatest_fall(xs))
  end,
}
