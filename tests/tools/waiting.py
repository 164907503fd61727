"""Tests wait for what happens and never for time to pass: here is what they wait with.

`wait_until` polls for what only a look can show. `Gate` stops programs that a test started, models and tools, at a known place until the
test opens it: the test knows that they are at work, and nothing ends before it has looked. Both give up after PATIENCE, which bounds a hang
and says nothing about how fast anything is."""
import socket
import threading
import time

PATIENCE = 240  # seconds after which a test hangs


def wait_until(is_so, what):
    """Returns once is_so() is true; `what` is waited for."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE} s for {what}")
        time.sleep(0.01)


class Gate:
    """Python programs run the code `stop` and are stopped until the gate is open."""

    def __init__(self, case):
        self.changed = threading.Condition()
        self.arrived, self.stopped, self.is_open = 0, [], False
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.stop = "__import__('socket').create_connection(('127.0.0.1', %d)).recv(1)" % self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()
        case.addCleanup(self.end)

    def accept(self):
        while True:
            try:
                visitor, _ = self.socket.accept()
            except OSError:
                return
            with self.changed:
                self.arrived += 1
                self.stopped.append(visitor)
                if self.is_open:
                    self.let_on()
                self.changed.notify_all()

    def let_on(self):
        for visitor in self.stopped:
            visitor.close()
        self.stopped.clear()

    def wait_for(self, count):
        """Until so many have arrived, those that went on included."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.arrived >= count, PATIENCE):
                raise AssertionError(f"{self.arrived} programs arrived, not {count}")

    def open(self):
        """Lets on whoever is here or comes."""
        with self.changed:
            self.is_open = True
            self.let_on()

    def shut(self):
        with self.changed:
            self.is_open = False

    def end(self):
        self.open()
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()
