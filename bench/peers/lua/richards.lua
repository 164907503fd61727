-- Richards: an operating-system kernel simulation, six tasks passing packets, objects with mutable state.
local bxor = bit and bit.bxor or load("return function(a, b) return a ~ b end")()

local IDLE, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B = 0, 1, 2, 3, 4, 5

local function new_packet(link, id, kind)
  return {link = link, id = id, kind = kind, a1 = 0, a2 = {0, 0, 0, 0}}
end

-- Appends packet to a linked queue and returns the queue's head.
local function append(packet, queue)
  packet.link = nil
  if not queue then return packet end
  local last = queue
  while last.link do last = last.link end
  last.link = packet
  return queue
end

local Task = {}
Task.__index = Task

function Task:blocked()
  return self.held or (self.suspended and not self.runnable)
end

function Task:take_packet()
  if not (self.suspended and self.runnable) then return nil end
  local packet = self.queue
  self.queue = packet.link
  self.suspended = false
  self.runnable = self.queue ~= nil
  return packet
end

local Kernel = {}
Kernel.__index = Kernel

function Kernel:add(id, priority, queue, run, own)
  local task = setmetatable(own, Task)
  task.id, task.priority, task.queue, task.run = id, priority, queue, run
  task.held, task.suspended, task.runnable = false, true, queue ~= nil
  task.link = self.list
  self.list = task
  self.tasks[id] = task
  return task
end

function Kernel:suspend_current()
  self.current.suspended = true
  return self.current
end

function Kernel:hold_current()
  self.hold_count = self.hold_count + 1
  self.current.held = true
  return self.current.link
end

function Kernel:release(id)
  local task = self.tasks[id]
  task.held = false
  if task.priority > self.current.priority then return task end
  return self.current
end

function Kernel:send(packet)
  local target = self.tasks[packet.id]
  self.queue_count = self.queue_count + 1
  packet.id = self.current.id
  if target.queue then
    append(packet, target.queue)
  else
    packet.link = nil
    target.queue = packet
    target.runnable = true
    if target.priority > self.current.priority then return target end
  end
  return self.current
end

function Kernel:schedule()
  local task = self.list
  while task do
    if task:blocked() then
      task = task.link
    else
      self.current = task
      task = task:run(self, task:take_packet())
    end
  end
end

local function run_idle(task, kernel)
  task.left = task.left - 1
  if task.left == 0 then return kernel:hold_current() end
  local half = math.floor(task.seed / 2)
  if task.seed % 2 == 0 then
    task.seed = half
    return kernel:release(DEVICE_A)
  end
  task.seed = bxor(half, 0xD008)
  return kernel:release(DEVICE_B)
end

local function run_device(task, kernel, packet)
  if packet then
    task.pending = packet
    return kernel:hold_current()
  end
  local pending = task.pending
  if not pending then return kernel:suspend_current() end
  task.pending = nil
  return kernel:send(pending)
end

local function run_worker(task, kernel, packet)
  if not packet then return kernel:suspend_current() end
  task.target = task.target == HANDLER_A and HANDLER_B or HANDLER_A
  packet.id = task.target
  packet.a1 = 0
  for i = 1, 4 do
    task.letter = task.letter == 26 and 1 or task.letter + 1
    packet.a2[i] = task.letter
  end
  return kernel:send(packet)
end

local function run_handler(task, kernel, packet)
  if packet then
    if packet.kind == "work" then
      task.work = append(packet, task.work)
    else
      task.devices = append(packet, task.devices)
    end
  end
  local job = task.work
  if job then
    if job.a1 == 4 then
      task.work = job.link
      return kernel:send(job)
    end
    local device = task.devices
    if device then
      task.devices = device.link
      job.a1 = job.a1 + 1
      device.a1 = job.a2[job.a1]
      return kernel:send(device)
    end
  end
  return kernel:suspend_current()
end

local function queue_of(count, id, kind)
  local queue
  for _ = 1, count do queue = new_packet(queue, id, kind) end
  return queue
end

return {
  setup = function(data) return data end,
  run = function(data)
    local kernel = setmetatable({tasks = {}, queue_count = 0, hold_count = 0}, Kernel)
    local idle = kernel:add(IDLE, 0, nil, run_idle, {left = data.n, seed = 1})
    idle.suspended = false
    kernel:add(WORKER, 1000, queue_of(2, WORKER, "work"), run_worker, {target = HANDLER_A, letter = 0})
    kernel:add(HANDLER_A, 2000, queue_of(3, DEVICE_A, "device"), run_handler, {})
    kernel:add(HANDLER_B, 3000, queue_of(3, DEVICE_B, "device"), run_handler, {})
    kernel:add(DEVICE_A, 4000, nil, run_device, {})
    kernel:add(DEVICE_B, 5000, nil, run_device, {})
    kernel:schedule()
    return kernel.queue_count * 100000 + kernel.hold_count
  end,
}
