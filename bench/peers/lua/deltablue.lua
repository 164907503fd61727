-- DeltaBlue, reduced (acyclic networks only, no cycle check): incremental constraint solving, chain and projection tests, mutable objects.
local REQUIRED, PREFERRED, STRONG_DEFAULT, NORMAL, WEAKEST = 0, 2, 3, 4, 6

local function new_variable(value)
  return {value = value, constraints = {}, determined_by = nil, mark = 0, strength = WEAKEST, stay = true}
end

local function output_of(c)
  if c.direction == "backward" then return c.a end
  return c.b
end

local function input_of(c)
  if c.direction == "backward" then return c.b end
  return c.a
end

local function execute(c)
  if c.kind == "equal" then
    output_of(c).value = input_of(c).value
  elseif c.kind == "scale" then
    if c.direction == "forward" then
      c.b.value = c.scale.value * c.a.value + c.offset.value
    else
      c.a.value = math.floor((c.b.value - c.offset.value) / c.scale.value)
    end
  end
end

local function recalculate(c)
  local out = output_of(c)
  local stay = c.kind ~= "edit"
  local strength = c.strength
  if c.a then
    local input = input_of(c)
    strength = math.max(strength, input.strength)
    stay = stay and input.stay
    if c.scale then stay = stay and c.scale.stay and c.offset.stay end
  end
  out.strength, out.stay = strength, stay
  if stay then execute(c) end
end

local function push_consumers(v, waiting)
  for _, c in ipairs(v.constraints) do
    if c ~= v.determined_by and c.direction then waiting[#waiting + 1] = c end
  end
end

local function propagate(c)
  local waiting = {c}
  while #waiting > 0 do
    local d = table.remove(waiting)
    recalculate(d)
    push_consumers(output_of(d), waiting)
  end
end

local function choose_direction(c, mark)
  local a, b = c.a, c.b
  if a and a.mark ~= mark and (b.mark == mark or a.strength > b.strength) then
    return c.strength < a.strength and "backward" or nil
  end
  return b.mark ~= mark and c.strength < b.strength and "forward" or nil
end

local function satisfy(c, mark)
  c.direction = choose_direction(c, mark)
  if not c.direction then return nil end
  local out = output_of(c)
  local overridden = out.determined_by
  if c.a then
    input_of(c).mark = mark
    if c.scale then c.scale.mark, c.offset.mark = mark, mark end
  end
  if overridden then overridden.direction = nil end
  out.determined_by = c
  propagate(c)
  out.mark = mark
  return overridden
end

local function solve(net, c)
  net.mark = net.mark + 1
  local mark = net.mark
  while c do c = satisfy(c, mark) end
end

local function each_variable(c, visit)
  if c.a then visit(c.a) end
  visit(c.b)
  if c.scale then
    visit(c.scale)
    visit(c.offset)
  end
end

local function add_constraint(net, c)
  net.count = net.count + 1
  c.id = net.count
  each_variable(c, function(v) v.constraints[#v.constraints + 1] = c end)
  solve(net, c)
  return c
end

local function release_variable(v)
  v.determined_by, v.strength, v.stay = nil, WEAKEST, true
  local waiting, unsatisfied = {v}, {}
  while #waiting > 0 do
    local w = table.remove(waiting)
    for _, c in ipairs(w.constraints) do
      if not c.direction then unsatisfied[#unsatisfied + 1] = c end
    end
    for _, c in ipairs(w.constraints) do
      if c ~= w.determined_by and c.direction then
        recalculate(c)
        waiting[#waiting + 1] = output_of(c)
      end
    end
  end
  return unsatisfied
end

local function remove_constraint(net, c)
  local out = c.direction and output_of(c)
  c.direction = nil
  each_variable(c, function(v)
    for i, d in ipairs(v.constraints) do
      if d == c then
        table.remove(v.constraints, i)
        break
      end
    end
  end)
  if not out then return end
  local unsatisfied = release_variable(out)
  table.sort(unsatisfied, function(x, y)
    if x.strength ~= y.strength then return x.strength < y.strength end
    return x.id < y.id
  end)
  for _, d in ipairs(unsatisfied) do
    if not d.direction then solve(net, d) end
  end
end

local function known(v, mark)
  return v.mark == mark or v.stay or v.determined_by == nil
end

local function inputs_known(c, mark)
  if not c.a then return true end
  return known(input_of(c), mark)
    and (not c.scale or known(c.scale, mark) and known(c.offset, mark))
end

local function make_plan(net, source)
  net.mark = net.mark + 1
  local mark, waiting, plan = net.mark, {source}, {}
  while #waiting > 0 do
    local c = table.remove(waiting)
    local out = output_of(c)
    if out.mark ~= mark and inputs_known(c, mark) then
      plan[#plan + 1] = c
      out.mark = mark
      push_consumers(out, waiting)
    end
  end
  return plan
end

local function set_and_run(plan, v, value)
  v.value = value
  for _, c in ipairs(plan) do execute(c) end
end

local function edit_variable(net, v, value, times)
  local edit = add_constraint(net, {kind = "edit", strength = PREFERRED, b = v})
  local plan = make_plan(net, edit)
  for _ = 1, times do set_and_run(plan, v, value) end
  remove_constraint(net, edit)
end

local function mix(h, x) return (h * 31 + x) % 1000000007 end

local function chain_test(length, edits)
  local net, vars = {mark = 0, count = 0}, {}
  for i = 0, length do vars[i] = new_variable(0) end
  for i = 0, length - 1 do
    add_constraint(net, {kind = "equal", strength = REQUIRED, a = vars[i], b = vars[i + 1]})
  end
  add_constraint(net, {kind = "stay", strength = STRONG_DEFAULT, b = vars[length]})
  local edit = add_constraint(net, {kind = "edit", strength = PREFERRED, b = vars[0]})
  local plan = make_plan(net, edit)
  local h = 7
  for i = 0, edits - 1 do
    set_and_run(plan, vars[0], i * i)
    h = mix(h, vars[length].value)
  end
  remove_constraint(net, edit)
  edit = add_constraint(net, {kind = "edit", strength = PREFERRED, b = vars[length]})
  plan = make_plan(net, edit)
  set_and_run(plan, vars[length], 5)
  set_and_run(plan, vars[length], 6)
  remove_constraint(net, edit)
  return mix(h, vars[0].value)
end

local function projection_test(pairs_count)
  local net = {mark = 0, count = 0}
  local scale, offset = new_variable(10), new_variable(1000)
  local sources, targets = {}, {}
  for i = 1, pairs_count do
    sources[i], targets[i] = new_variable(i - 1), new_variable(i - 1)
    add_constraint(net, {kind = "stay", strength = NORMAL, b = sources[i]})
    add_constraint(net, {kind = "scale", strength = REQUIRED, a = sources[i], b = targets[i],
                         scale = scale, offset = offset})
  end
  local function mix_targets(h)
    for _, v in ipairs(targets) do h = mix(h, v.value) end
    return h
  end
  local source, target = sources[pairs_count], targets[pairs_count]
  edit_variable(net, source, 17, 10)
  local h = mix(11, target.value)
  edit_variable(net, target, 1050, 10)
  h = mix(h, source.value)
  edit_variable(net, scale, 5, 10)
  h = mix_targets(h)
  edit_variable(net, offset, 2000, 10)
  return mix_targets(h)
end

return {
  setup = function(data) return data end,
  run = function(data)
    return mix(chain_test(data.chain, data.edits), projection_test(data.pairs))
  end,
}
