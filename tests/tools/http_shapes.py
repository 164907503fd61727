"""What clients of an HTTP server can do wrong, on purpose or not, whatever the server serves: Shapes is for the tests of each command that
listens. Clients are sockets, so that they can be as wrong as they like."""
import json
import select
import socket

from ptcc_test import SECONDS
from waiting import wait_until

FOREVER = "1000000000"  # milliseconds that nobody waits for


class Sockets:
    """For cases with the `port` of a server."""

    def socket(self, data=b""):
        client = socket.create_connection(("127.0.0.1", self.port), SECONDS)
        self.addCleanup(client.close)
        client.sendall(data)
        return client

    def read_all(self, client):
        data = b""
        while piece := client.recv(65536):
            data += piece
        return data

    def read_all_or_reset(self, client):
        try:
            return self.read_all(client)
        except ConnectionError:
            return b""

    def first_line(self, client):
        return self.read_all_or_reset(client).split(b"\r\n")[0]

    def until(self, client, wanted):
        data = b""
        while wanted not in data:
            piece = client.recv(65536)
            self.assertTrue(piece, data)
            data += piece
        return data


class Shapes(Sockets):
    """A case gives:
    PATH                          where POST requests are answered
    HEADERS                       lines that each of its requests needs beside Host and the length
    BODY_LIMIT                    the option for the most bytes of a body
    gate                          of waiting.Gate
    start_server(*arguments, environment)
    body(said, stays=False)       of a good request, whose answer has `said` in it; one that stays comes to the gate and waits there
    """

    def head(self, length=None, more=b"", path=None, method=b"POST"):
        size = b"" if length is None else b"Content-Length: %d\r\n" % length
        return method + b" " + (path or self.PATH) + b" HTTP/1.1\r\nHost: localhost\r\n" + self.HEADERS + more + size + b"\r\n"

    def good(self, said="hello", more=b"", **options):
        body = json.dumps(self.body(said, **options)).encode()
        return self.head(len(body), more) + body

    def status(self, data):
        """Of the answer to a request on a connection of its own."""
        return int(self.until(self.socket(data), b"\r\n").split(b" ")[1])

    def is_answered(self):
        try:
            return self.status(self.good(more=b"Connection: close\r\n")) == 200
        except (ConnectionError, AssertionError):
            return False

    # Framing

    def test_what_proxies_may_read_otherwise_is_refused(self):
        self.start_server()
        after = self.good()
        for line in (b"Transfer-Encoding: xchunked", b"Transfer-Encoding: gzip", b"Transfer-Encoding: chunked, identity", b"Host: other",
                     b"Origin: http://localhost\r\nOrigin: http://evil.example", b"Authorization: a\r\nAuthorization: b",
                     b"Content-Type: application/json\r\nContent-Type: text/plain", b"Content-Length: 5\r\nContent-Length: 5"):
            client = self.socket(self.head(more=line + b"\r\n") + after)
            answer = self.read_all(client)
            self.assertEqual((answer.count(b"HTTP/1.1 "), answer.split(b" ")[1]), (1, b"400"), line)

    def test_heads_are_answered_without_bodies(self):
        self.start_server()
        head = b"HEAD " + self.PATH + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
        answers = self.read_all(self.socket(head + head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")))
        self.assertEqual(answers.count(b"HTTP/1.1 405"), 2, answers)
        self.assertTrue(answers.endswith(b"\r\n\r\n") and answers.count(b"{") == 0, answers)

    def test_bodies_in_chunks_take_the_room_that_they_need(self):
        """And not that of the longest: of small ones many arrive at once."""
        self.start_server()
        body = json.dumps(self.body("hello")).encode()
        begun = [self.socket(self.head(more=b"Connection: close\r\nTransfer-Encoding: chunked\r\n") + b"1\r\n" + body[:1] + b"\r\n") for _ in range(30)]
        for client in begun:
            client.sendall(b"%x\r\n" % (len(body) - 1) + body[1:] + b"\r\n0\r\n\r\n")
            self.assertIn(b" 200 ", self.read_all(client).split(b"\r\n")[0])

    def test_extensions_and_trailers_of_chunks_are_bounded(self):
        self.start_server()
        for begin in (b"5;", b"0\r\n"):
            client = self.socket(self.head(more=b"Transfer-Encoding: chunked\r\n") + begin)
            client.sendall(b"a" * (512 << 10))
            self.assertRegex(client.recv(100), rb"^HTTP/1.1 4(00|31) ", begin)

    def test_large_and_malformed_requests(self):
        self.start_server(self.BODY_LIMIT, "1000")
        self.assertEqual(self.status(self.good("x" * 2000)), 413)
        self.assertEqual(self.status(self.good(more=b"X: " + b"y" * 40000 + b"\r\n")), 431)
        chunked = self.socket(self.head(more=b"Transfer-Encoding: chunked\r\n"))
        try:
            for _ in range(100):
                chunked.sendall(b"100\r\n" + b"x" * 256 + b"\r\n")
        except OSError:
            pass
        self.assertIn(b" 413 ", self.read_all(chunked).split(b"\r\n")[0])
        for bad in (b"hello\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", self.head(-1),
                    self.head(more=b"Content-Length: 5\r\nContent-Length: 6\r\n") + b"hello"):
            self.assertIn(b" 400 ", self.first_line(self.socket(bad)), bad)
        self.assertTrue(self.is_answered())

    def test_heads_at_their_limit(self):
        self.start_server()
        more = b"Connection: close\r\nX: "
        for size, status in ((32 << 10, 200), ((32 << 10) + 2000, 431), (32 << 10, 200)):  # the first line is not counted
            rest = size - len(self.good(more=more + b"\r\n")) + len(json.dumps(self.body("hello")))
            self.assertEqual(self.status(self.good(more=more + b"y" * rest + b"\r\n")), status, size)

    # Slowness

    def test_requests_cut_anywhere_and_slow_ones_are_left(self):
        self.start_server("--read-timeout-ms", "300")
        whole = self.good()
        for size in range(0, len(whole), 17):
            self.socket(whole[:size]).close()
        silent = self.socket(whole[:-1])
        slow = self.socket(self.head()[:-2] + b"X: ")
        for _ in range(50 * SECONDS):
            if select.select([slow], [], [], 0.02)[0]:
                break
            try:
                slow.sendall(b"x")
            except OSError:
                break
        else:
            self.fail("a header that goes on is read for ever")
        for client in (slow, silent, self.socket()):
            self.assertEqual(self.read_all_or_reset(client), b"")
        wait_until(self.is_answered, "an answer")

    def test_one_connection_for_many_requests_also_sent_at_once(self):
        self.start_server()
        client = self.socket(self.good("one") + self.good("two") + self.good("three", more=b"Connection: close\r\n"))
        data = self.read_all(client)
        self.assertEqual(data.count(b"HTTP/1.1 200 OK"), 3)
        self.assertLess(data.index(b"one"), data.index(b"two"))
        self.assertLess(data.index(b"two"), data.index(b"three"))

    def test_http_1_0_and_100_continue(self):
        self.start_server()
        data = self.read_all(self.socket(self.good("old").replace(b"HTTP/1.1", b"HTTP/1.0", 1)))
        self.assertIn(b"old", data)
        self.assertNotIn(b"chunked", data)
        head, body = self.good("later", more=b"Expect: 100-continue\r\nConnection: close\r\n").split(b"\r\n\r\n")
        client = self.socket(head + b"\r\n\r\n")
        self.assertEqual(client.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
        client.sendall(body)
        self.assertIn(b"later", self.read_all(client))

    def test_a_client_that_closes_its_own_direction_is_answered(self):
        self.start_server()
        for _ in range(20):
            client = self.socket(self.good(more=b"Connection: close\r\n"))
            client.shutdown(socket.SHUT_WR)  # nobody may be there any more: its answer may be that
            self.assertRegex(self.first_line(client), rb"^HTTP/1.1 \d\d\d ")

    # Much

    def test_too_many_connections(self):
        self.start_server("--max-connections", "3")
        busy = [self.socket(self.good(stays=True)) for _ in range(3)]
        self.gate.wait_for(3)
        self.assertIn(b" 503 ", self.first_line(self.socket()))
        self.gate.open()
        for client in busy:
            self.assertIn(b" 200 ", client.recv(100))

    def test_who_keeps_it_waiting_goes_when_there_is_no_more_room(self):
        self.start_server("--max-connections", "3", "--read-timeout-ms", FOREVER)
        silent = [self.socket(), self.socket(self.head()[:10]), self.socket(self.good()[:-1])]
        for _ in range(6):
            self.assertTrue(self.is_answered())
        for client in silent:
            self.assertEqual(self.read_all_or_reset(client), b"")

    def test_bodies_under_way_share_their_memory(self):
        self.start_server(self.BODY_LIMIT, "50000000", "--read-timeout-ms", FOREVER)
        first = self.socket(self.head(40_000_000) + b"{")
        second = self.socket(self.head(40_000_000) + b"{")
        self.assertEqual(self.read_all_or_reset(first), b"")  # it made room for the second
        self.assertTrue(self.is_answered())
        second.close()

    # Who may ask

    def test_other_names_of_this_machine_are_refused(self):
        self.start_server()
        head, body = self.good(more=b"Connection: close\r\n").split(b"\r\n\r\n", 1)
        names = {b"localhost": 200, b"LOCALHOST": 200, b"localhost:%d" % self.port: 200, b"127.0.0.1": 200, b"[::1]:%d" % self.port: 200}
        names |= {host: 403 for host in (b"evil.example:%d" % self.port, b"", b"[::1", b"[::1]evil", b"[::1]:80@evil", b"127.0.0.1:evil",
                                         b"[localhost", b"localhost.", b"localhost:80:80")}
        for host, status in names.items():
            data = head.replace(b"Host: localhost", b"Host: " + host) + b"\r\n\r\n" + body
            self.assertEqual(self.status(data), status, host)
        self.assertEqual(self.status(self.good(more=b"Sec-Fetch-Site: cross-site\r\n")), 403)
        self.assertEqual(self.status(self.good(more=b"Sec-Fetch-Site: none\r\n")), 200)
        for origin in (b"", b"null", b"http://evil.example", b"http://localhost.evil.example", b"http://[::1"):
            self.assertEqual(self.status(self.good(more=b"Origin: " + origin + b"\r\n")), 403, origin)

    def test_heads_are_judged_before_bodies_are_read(self):
        self.start_server("--key-env", "KEY", "--read-timeout-ms", FOREVER, environment={"KEY": "s3cret"})
        key = b"Authorization: Bearer s3cret\r\n"
        for head, status in ((self.head(4_000_000), 401), (self.head(4_000_000, path=b"/nothing"), None),
                             (self.head(4_000_000, key, path=b"/nothing"), 404), (self.head(4_000_000, key, method=b"PUT"), 405),
                             (self.head(4_000_000, key + b"Authorization: Bearer x\r\n"), 400)):
            said = self.status(head + b"{")
            self.assertIn(said, (status,) if status else (401, 404), head)
        self.assertEqual(self.status(self.good(more=key)), 200)
        for given in (b"Bearer s3cre", b"Bearer s3creT", b"Bearer s3cret ", b"Basic s3cret", b"Bearer"):
            self.assertIn(self.status(self.good(more=b"Authorization: " + given + b"\r\n")), (200,) if given.endswith(b" ") else (401,), given)
