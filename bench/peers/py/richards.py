"""Richards: an operating-system kernel simulation, six tasks passing packets, objects with mutable state."""

IDLE, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B = range(6)


class Packet:
    def __init__(self, link, identity, kind):
        self.link = link
        self.id = identity
        self.kind = kind
        self.a1 = 0
        self.a2 = [0, 0, 0, 0]

    def append_to(self, queue):
        """Appends this packet to a linked queue; the queue's head."""
        self.link = None
        if queue is None:
            return self
        last = queue
        while last.link is not None:
            last = last.link
        last.link = self
        return queue


class Task:
    def __init__(self, kernel, identity, priority, queue):
        self.kernel = kernel
        self.id = identity
        self.priority = priority
        self.queue = queue
        self.is_held = False
        self.is_suspended = True
        self.is_runnable = queue is not None
        self.link = None

    def is_blocked(self):
        return self.is_held or (self.is_suspended and not self.is_runnable)

    def take_packet(self):
        if not (self.is_suspended and self.is_runnable):
            return None
        packet = self.queue
        self.queue = packet.link
        self.is_suspended = False
        self.is_runnable = self.queue is not None
        return packet


class IdleTask(Task):
    def __init__(self, kernel, left):
        super().__init__(kernel, IDLE, 0, None)
        self.left = left
        self.seed = 1
        self.is_suspended = False

    def run(self, _packet):
        self.left -= 1
        if self.left == 0:
            return self.kernel.hold_current()
        half = self.seed // 2
        if self.seed % 2 == 0:
            self.seed = half
            return self.kernel.release(DEVICE_A)
        self.seed = half ^ 0xD008
        return self.kernel.release(DEVICE_B)


class WorkerTask(Task):
    def __init__(self, kernel, priority, queue):
        super().__init__(kernel, WORKER, priority, queue)
        self.target = HANDLER_A
        self.letter = 0

    def run(self, packet):
        if packet is None:
            return self.kernel.suspend_current()
        self.target = HANDLER_B if self.target == HANDLER_A else HANDLER_A
        packet.id = self.target
        packet.a1 = 0
        for i in range(4):
            self.letter = 1 if self.letter == 26 else self.letter + 1
            packet.a2[i] = self.letter
        return self.kernel.send(packet)


class HandlerTask(Task):
    def __init__(self, kernel, identity, priority, queue):
        super().__init__(kernel, identity, priority, queue)
        self.work = None
        self.devices = None

    def run(self, packet):
        if packet is not None:
            if packet.kind == "work":
                self.work = packet.append_to(self.work)
            else:
                self.devices = packet.append_to(self.devices)
        job = self.work
        if job is not None:
            if job.a1 == 4:
                self.work = job.link
                return self.kernel.send(job)
            device = self.devices
            if device is not None:
                self.devices = device.link
                device.a1 = job.a2[job.a1]
                job.a1 += 1
                return self.kernel.send(device)
        return self.kernel.suspend_current()


class DeviceTask(Task):
    def __init__(self, kernel, identity, priority, queue):
        super().__init__(kernel, identity, priority, queue)
        self.pending = None

    def run(self, packet):
        if packet is not None:
            self.pending = packet
            return self.kernel.hold_current()
        pending = self.pending
        if pending is None:
            return self.kernel.suspend_current()
        self.pending = None
        return self.kernel.send(pending)


class Kernel:
    def __init__(self):
        self.tasks = {}
        self.list = None
        self.current = None
        self.queue_count = 0
        self.hold_count = 0

    def add(self, task):
        task.link = self.list
        self.list = task
        self.tasks[task.id] = task

    def suspend_current(self):
        self.current.is_suspended = True
        return self.current

    def hold_current(self):
        self.hold_count += 1
        self.current.is_held = True
        return self.current.link

    def release(self, identity):
        task = self.tasks[identity]
        task.is_held = False
        return task if task.priority > self.current.priority else self.current

    def send(self, packet):
        target = self.tasks[packet.id]
        self.queue_count += 1
        packet.id = self.current.id
        if target.queue is not None:
            packet.append_to(target.queue)
        else:
            packet.link = None
            target.queue = packet
            target.is_runnable = True
            if target.priority > self.current.priority:
                return target
        return self.current

    def schedule(self):
        task = self.list
        while task is not None:
            if task.is_blocked():
                task = task.link
            else:
                self.current = task
                task = task.run(task.take_packet())


def queue_of(count, identity, kind):
    queue = None
    for _ in range(count):
        queue = Packet(queue, identity, kind)
    return queue


def run(data):
    kernel = Kernel()
    kernel.add(IdleTask(kernel, data["n"]))
    kernel.add(WorkerTask(kernel, 1000, queue_of(2, WORKER, "work")))
    kernel.add(HandlerTask(kernel, HANDLER_A, 2000, queue_of(3, DEVICE_A, "device")))
    kernel.add(HandlerTask(kernel, HANDLER_B, 3000, queue_of(3, DEVICE_B, "device")))
    kernel.add(DeviceTask(kernel, DEVICE_A, 4000, None))
    kernel.add(DeviceTask(kernel, DEVICE_B, 5000, None))
    kernel.schedule()
    return kernel.queue_count * 100000 + kernel.hold_count
