// Richards: an operating-system kernel simulation, six tasks passing packets, objects with mutable state.
const idleId = 0, workerId = 1, handlerA = 2, handlerB = 3, deviceA = 4, deviceB = 5;

class Packet {
  constructor(link, id, kind) {
    this.link = link;
    this.id = id;
    this.kind = kind;
    this.a1 = 0;
    this.a2 = [0, 0, 0, 0];
  }

  /** Appends this packet to a linked queue; the queue's head. */
  appendTo(queue) {
    this.link = null;
    if (!queue) return this;
    let last = queue;
    while (last.link) last = last.link;
    last.link = this;
    return queue;
  }
}

class Task {
  constructor(kernel, id, priority, queue) {
    this.kernel = kernel;
    this.id = id;
    this.priority = priority;
    this.queue = queue;
    this.isHeld = false;
    this.isSuspended = true;
    this.isRunnable = queue !== null;
    this.link = null;
  }

  isBlocked() {
    return this.isHeld || (this.isSuspended && !this.isRunnable);
  }

  takePacket() {
    if (!(this.isSuspended && this.isRunnable)) return null;
    const packet = this.queue;
    this.queue = packet.link;
    this.isSuspended = false;
    this.isRunnable = this.queue !== null;
    return packet;
  }
}

class IdleTask extends Task {
  constructor(kernel, left) {
    super(kernel, idleId, 0, null);
    this.left = left;
    this.seed = 1;
    this.isSuspended = false;
  }

  run() {
    if (--this.left === 0) return this.kernel.holdCurrent();
    const half = this.seed >> 1;
    if (this.seed % 2 === 0) {
      this.seed = half;
      return this.kernel.release(deviceA);
    }
    this.seed = half ^ 0xd008;
    return this.kernel.release(deviceB);
  }
}

class WorkerTask extends Task {
  target = handlerA;
  letter = 0;

  run(packet) {
    if (!packet) return this.kernel.suspendCurrent();
    this.target = this.target === handlerA ? handlerB : handlerA;
    packet.id = this.target;
    packet.a1 = 0;
    for (let i = 0; i < 4; i++) {
      this.letter = this.letter === 26 ? 1 : this.letter + 1;
      packet.a2[i] = this.letter;
    }
    return this.kernel.send(packet);
  }
}

class HandlerTask extends Task {
  work = null;
  devices = null;

  run(packet) {
    if (packet) {
      if (packet.kind === "work") this.work = packet.appendTo(this.work);
      else this.devices = packet.appendTo(this.devices);
    }
    const job = this.work;
    if (!job) return this.kernel.suspendCurrent();
    if (job.a1 === 4) {
      this.work = job.link;
      return this.kernel.send(job);
    }
    const device = this.devices;
    if (!device) return this.kernel.suspendCurrent();
    this.devices = device.link;
    device.a1 = job.a2[job.a1++];
    return this.kernel.send(device);
  }
}

class DeviceTask extends Task {
  pending = null;

  run(packet) {
    if (packet) {
      this.pending = packet;
      return this.kernel.holdCurrent();
    }
    const { pending } = this;
    if (!pending) return this.kernel.suspendCurrent();
    this.pending = null;
    return this.kernel.send(pending);
  }
}

class Kernel {
  tasks = [];
  list = null;
  current = null;
  queueCount = 0;
  holdCount = 0;

  add(task) {
    task.link = this.list;
    this.list = task;
    this.tasks[task.id] = task;
  }

  suspendCurrent() {
    this.current.isSuspended = true;
    return this.current;
  }

  holdCurrent() {
    this.holdCount++;
    this.current.isHeld = true;
    return this.current.link;
  }

  release(id) {
    const task = this.tasks[id];
    task.isHeld = false;
    return task.priority > this.current.priority ? task : this.current;
  }

  send(packet) {
    const target = this.tasks[packet.id];
    this.queueCount++;
    packet.id = this.current.id;
    if (target.queue) {
      packet.appendTo(target.queue);
    } else {
      packet.link = null;
      target.queue = packet;
      target.isRunnable = true;
      if (target.priority > this.current.priority) return target;
    }
    return this.current;
  }

  schedule() {
    let task = this.list;
    while (task) {
      if (task.isBlocked()) {
        task = task.link;
      } else {
        this.current = task;
        task = task.run(task.takePacket());
      }
    }
  }
}

function queueOf(count, id, kind) {
  let queue = null;
  for (let i = 0; i < count; i++) queue = new Packet(queue, id, kind);
  return queue;
}

export function run({ n }) {
  const kernel = new Kernel();
  kernel.add(new IdleTask(kernel, n));
  kernel.add(new WorkerTask(kernel, workerId, 1000, queueOf(2, workerId, "work")));
  kernel.add(new HandlerTask(kernel, handlerA, 2000, queueOf(3, deviceA, "device")));
  kernel.add(new HandlerTask(kernel, handlerB, 3000, queueOf(3, deviceB, "device")));
  kernel.add(new DeviceTask(kernel, deviceA, 4000, null));
  kernel.add(new DeviceTask(kernel, deviceB, 5000, null));
  kernel.schedule();
  return kernel.queueCount * 100000 + kernel.holdCount;
}
