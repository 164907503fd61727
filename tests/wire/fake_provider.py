#!/usr/bin/env python3
"""A provider on the loopback that answers as it is told, also wrongly: slowly, cut off, too much, in another format, not at all.

    with Fake("openai", [say("Hello."), status(429, {"retry-after": "1"}), ..], key) as fake: .. fake.url ..

The steps of the script answer request after request. A request that the provider would refuse gets its error whatever the script
says, and is kept in `refused`. As a program: fake_provider.py PROVIDER KEY prints its address, greets whoever asks, and ends with its input."""
import functools
import gzip
import json
import socket
import ssl
import struct
import sys
import threading
import time
import zlib

from dialects import DIALECTS, Refused, compact

PATIENCE = 600  # seconds after which a connection is given up: a client that hangs is ended before


class Request:
    def __init__(self, method, path, headers, raw, connection):
        self.method, self.path, self.headers, self.raw, self.connection = method, path, headers, raw, connection
        self.body = json.loads(raw) if raw else None


class Gone(Exception):
    """The client has closed the connection."""


class Connection:
    """A client's connection: lines and bodies in, bytes out."""

    def __init__(self, sock, number):
        self.sock, self.number, self.buffer, self.alive = sock, number, b"", True
        sock.settimeout(PATIENCE)

    def more(self):
        part = self.sock.recv(1 << 16)
        if not part:
            raise Gone
        self.buffer += part

    def take(self, count):
        while len(self.buffer) < count:
            self.more()
        out, self.buffer = self.buffer[:count], self.buffer[count:]
        return out

    def line(self):
        while b"\n" not in self.buffer:
            self.more()
        out, self.buffer = self.buffer.split(b"\n", 1)
        return out.rstrip(b"\r").decode("latin-1")

    def headers(self):
        out = {}
        while line := self.line():
            name, _, value = line.partition(":")
            out[name.strip().lower()] = value.strip()
        return out

    def body(self, headers):
        if headers.get("expect", "").lower() == "100-continue":
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        if headers.get("transfer-encoding", "").lower() != "chunked":
            return self.take(int(headers.get("content-length", 0)))
        out = b""
        while size := int(self.line().split(";")[0], 16):
            out += self.take(size)
            self.line()
        self.headers()
        return out

    def request(self):
        method, path, _ = self.line().split(" ", 2)
        headers = self.headers()
        return Request(method, path, headers, self.body(headers), self.number)

    def send(self, data):
        self.sock.sendall(data)

    def wait_for_the_end(self):
        """Until the client goes away."""
        try:
            while self.sock.recv(1 << 16):
                pass
        except OSError:
            pass
        raise Gone

    def reset(self):
        """Ends the connection as a machine that fails does."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Gone


JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}
REASONS = {200: "OK", 302: "Found", 307: "Temporary Redirect", 400: "Bad Request", 401: "Unauthorized", 429: "Too Many Requests",
           500: "Internal Server Error"}


def head(code, headers, version="1.1"):
    lines = [f"HTTP/{version} {code} {REASONS.get(code, 'Status')}"] + [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def send(connection, code, headers, body):
    connection.send(head(code, {**headers, "content-length": len(body)}) + body)


# Steps: functions of (connection, request, dialect).

def body_of(reply, request, dialect):
    """The whole body, and its content type."""
    if dialect.streams(request):
        return "".join(dialect.events(reply, request) + [dialect.end]).encode(), EVENTS
    return compact(dialect.reply(reply)).encode(), JSON


def say(text=None, calls=(), **rest):
    """An ordinary reply, streamed when that was asked for."""
    reply = {"text": text, "calls": calls, **rest}

    def step(connection, request, dialect):
        body, headers = body_of(reply, request, dialect)
        send(connection, 200, headers, body)
    step.reply = reply
    return step


def status(code, headers=None, message="Something went wrong.", kind=None):
    """The provider's own error."""
    def step(connection, request, dialect):
        send(connection, code, {**JSON, **(headers or {})}, compact(dialect.error(code, message, kind)).encode())
    return step


def answer(code, headers, body):
    """Any answer."""
    return lambda connection, request, dialect: send(connection, code, headers, body)


def altered(reply, change):
    """The reply with its body changed by `change`, bytes to bytes."""
    def step(connection, request, dialect):
        body, headers = body_of(reply.reply, request, dialect)
        send(connection, 200, headers, change(body))
    return step


def slowly(reply, seconds, size=16):
    """The reply, `size` bytes at a time, with pauses, so that most of them come alone."""
    def step(connection, request, dialect):
        body, headers = body_of(reply.reply, request, dialect)
        connection.send(head(200, {**headers, "content-length": len(body)}))
        for start in range(0, len(body), size):
            connection.send(body[start:start + size])
            time.sleep(seconds)
    return step


def trickling(connection, request, dialect):
    """Blanks in front of a body that never comes, one by one."""
    connection.send(head(200, {**JSON, "content-length": 1 << 30}))
    while True:
        connection.send(b" ")
        time.sleep(0.05)


def chunked(reply, size=7):
    """The reply in chunks that end anywhere, also within a character."""
    def step(connection, request, dialect):
        body, headers = body_of(reply.reply, request, dialect)
        connection.send(head(200, {**headers, "transfer-encoding": "chunked"}))
        for start in range(0, len(body), size):
            part = body[start:start + size]
            connection.send(b"%x;name=value\r\n%s\r\n" % (len(part), part))
        connection.send(b"0\r\ntrailer: x\r\n\r\n")
    return step


def zipped(reply):
    """Compressed, if the client takes that."""
    def step(connection, request, dialect):
        body, headers = body_of(reply.reply, request, dialect)
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return send(connection, 200, headers, body)
        send(connection, 200, {**headers, "content-encoding": "gzip"}, gzip.compress(body))
    return step


def old_http(reply):
    """HTTP/1.0: the end of the connection is the end of the body."""
    def step(connection, request, dialect):
        body, headers = body_of(reply.reply, request, dialect)
        connection.send(head(200, headers, "1.0") + body)
        raise Gone
    return step


def silence(connection, request, dialect):
    connection.wait_for_the_end()


def hang_up(connection, request, dialect):
    raise Gone


def reset(connection, request, dialect):
    connection.reset()


def cut_in_headers(connection, request, dialect):
    connection.send(b"HTTP/1.1 200 OK\r\ncontent-type: appl")
    raise Gone


def cut_in_body(reply, keep=0.5):
    """A part of the body that was announced, then the end of the connection."""
    def step(connection, request, dialect):
        body, headers = body_of(reply.reply, request, dialect)
        connection.send(head(200, {**headers, "content-length": len(body)}) + body[:int(len(body) * keep)])
        raise Gone
    return step


def stalled(reply, keep=0.5):
    """A part of the body that was announced, then nothing."""
    def step(connection, request, dialect):
        body, headers = body_of(reply.reply, request, dialect)
        connection.send(head(200, {**headers, "content-length": len(body)}) + body[:int(len(body) * keep)])
        connection.wait_for_the_end()
    return step


def endless(headers, begin, again, most=1 << 30):
    """A body without an end; up to `most` bytes."""
    def step(connection, request, dialect):
        connection.send(head(200, headers) + begin)
        for _ in range(most // len(again)):
            connection.send(again)
        raise Gone
    return step


@functools.cache
def packed_blanks():
    """256 MB in a few KB, made piece by piece: what this process holds when it starts ptcc counts as ptcc's highest memory."""
    packer = zlib.compressobj(1, wbits=31)
    return b"".join([packer.compress(b" " * (1 << 20)) for _ in range(256)] + [packer.flush()])


def bomb(connection, request, dialect):
    """A small body that is 256 MB when it is unpacked."""
    send(connection, 200, {**JSON, "content-encoding": "gzip"}, packed_blanks())


def stream_of(make):
    """Events from `make(dialect, request)`, whatever was asked for."""
    def step(connection, request, dialect):
        send(connection, 200, EVENTS, "".join(make(dialect, request)).encode())
    return step


class Listener:
    """A server on the loopback, a thread a connection: `serve(sock, number)` answers them, counted from 1."""

    def __init__(self):
        self.connections = 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join()

    def accept(self):
        while True:
            try:
                sock, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(sock, self.connections), daemon=True).start()


class Fake(Listener):
    def __init__(self, provider, script, key, certificate=None):
        super().__init__()
        self.dialect, self.script, self.key = DIALECTS[provider], iter(script), key
        self.requests, self.refused, self.heads = [], [], []
        self.lock = threading.Lock()
        self.tls = None
        if certificate:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(certificate)
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self.port}{self.dialect.base_path}"

    def serve(self, sock, number):
        try:
            if self.tls:
                sock = self.tls.wrap_socket(sock, server_side=True)
            with sock:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection = Connection(sock, number)
                while True:
                    self.answer(connection, connection.request())
        except (Gone, OSError):
            pass

    def answer(self, connection, request):
        with self.lock:
            self.requests.append(request)
        try:
            self.check(request)
        except (Refused, ValueError, KeyError, TypeError, AttributeError) as why:
            code = getattr(why, "status", 400)
            self.refused.append(f"{type(why).__name__}: {why}")
            send(connection, code, JSON, compact(self.dialect.error(code, str(why), getattr(why, "kind", None))).encode())
            return
        with self.lock:
            step = next(self.script, None)
        if step is None:
            self.refused.append("one request more than the script has")
            step = status(400, message="The script is over.")
        step(connection, request, self.dialect)

    def check(self, request):
        if request.method != "POST" or not request.headers.get("content-type", "").startswith("application/json"):
            raise Refused("not a POST of JSON")
        if self.key and self.key in request.path:
            raise Refused("the key is in the address, where logs have it")
        self.dialect.check(request, self.key)


def always(step):
    while True:
        yield step


def main(provider, key):
    with Fake(provider, always(say("Hello.", tokens=(20, 2, 16))), key) as fake:
        print(f"http://127.0.0.1:{fake.port}", flush=True)
        sys.stdin.read()
        print(json.dumps(fake.refused))


if __name__ == "__main__":
    main(*sys.argv[1:])
