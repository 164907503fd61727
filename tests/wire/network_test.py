#!/usr/bin/env python3
"""Certificates and proxies: network_test.py PTCC [unittest's arguments]."""
import json
import os
import socket
import subprocess
import threading
import uuid

from fake_provider import Connection, Gone, Listener, always, say
from wire_case import PROVIDERS, Wire, main

GREETING = say("Hello.")


def relay(source, target):
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Proxy(Listener):
    """A proxy on the loopback: a tunnel to `port` whatever host is asked for, or a refusal when there is none. `seen` has the
    heads of all requests."""

    def __init__(self, port=None):
        super().__init__()
        self.target, self.seen = port, []
        self.url = f"http://127.0.0.1:{self.port}"

    def serve(self, sock, _number):
        connection = Connection(sock, 0)
        try:
            line = connection.line()
            self.seen.append((line, connection.headers()))
            if self.target is None or not line.startswith("CONNECT "):
                connection.send(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                return
            with socket.create_connection(("127.0.0.1", self.target)) as target:
                connection.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
                threading.Thread(target=relay, args=(target, sock), daemon=True).start()
                relay(sock, target)
        except (Gone, OSError):
            pass
        finally:
            sock.close()


class Network(Wire):
    def certificate(self, name):
        """A certificate that its own key has signed, for an address or a host."""
        path = os.path.join(self.folder, uuid.uuid4().hex)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test",
                        "-addext", "subjectAltName=" + name, "-keyout", path + ".key", "-out", path], check=True, capture_output=True)
        with open(path, "ab") as out, open(path + ".key", "rb") as key:
            out.write(key.read())
        return path


class Tls(Network):
    def test_a_certificate_of_nobody_is_refused(self):
        certificate = self.certificate("IP:127.0.0.1")

        def check(provider):
            with self.fake(provider, always(GREETING), certificate=certificate) as fake:
                done = self.agent(fake, "--output", "text")
                self.assertEqual((done.kind, fake.requests), (("tls", 1), []), str(done))
        self.each(zip(PROVIDERS), check)

    def trusting(self, fake, certificate, host="127.0.0.1"):
        """Arguments for a model whose server has this certificate."""
        model = {"provider": fake.dialect.name, "model": "test-model", "ca_file": certificate,
                 "base_url": f"https://{host}:{fake.port}{fake.dialect.base_path}"}
        return ("--output", "text", "--models", self.file(uuid.uuid4().hex, json.dumps({"mine": model})), "--llm", "model:mine")

    def test_a_certificate_that_is_trusted(self):
        certificate = self.certificate("IP:127.0.0.1")

        def check(provider):
            with self.fake(provider, [GREETING], certificate=certificate) as fake:
                self.assertEqual(self.result(self.agent(fake, *self.trusting(fake, certificate))), "Hello.")
        self.each(zip(PROVIDERS), check)

    def test_a_trusted_certificate_of_another_host(self):
        certificate = self.certificate("DNS:provider.test")

        def check(provider):
            with self.fake(provider, [GREETING], certificate=certificate) as fake:
                done = self.agent(fake, *self.trusting(fake, certificate))
                self.assertEqual((done.kind, fake.requests), (("tls", 1), []), str(done))
        self.each(zip(PROVIDERS), check)

    def test_plain_http_to_another_machine_is_refused(self):
        def check(provider):
            with self.fake(provider, []) as fake:
                for url in ("http://provider.test/v1", "http://127.0.0.1.provider.test", "http://localhost.provider.test", "http://10.0.0.1",
                            "http://user:password@127.0.0.1", "ftp://127.0.0.1", "file:///etc/passwd", "127.0.0.1", "http://", ""):
                    done = self.agent(fake, environment=self.environment(fake, **{fake.dialect.url_variable: url or "://"}))
                    self.assertEqual(done.code, 2, f"{url} {done}")
        self.each(zip(PROVIDERS), check)


class Proxies(Network):
    def test_a_tunnel_shows_the_proxy_nothing_but_the_host(self):
        certificate = self.certificate("DNS:provider.test")

        def check(provider):
            with self.fake(provider, always(GREETING), certificate=certificate) as fake, Proxy(fake.port) as proxy:
                done = self.agent(fake, "--output", "text", environment=self.environment(
                    fake, https_proxy=proxy.url, **{fake.dialect.url_variable: "https://provider.test" + fake.dialect.base_path}))
                self.assertEqual((done.kind, fake.requests), (("tls", 1), []), str(done))
                self.assertEqual([line for line, _ in proxy.seen], ["CONNECT provider.test:443 HTTP/1.1"])
                self.assertNotIn(self.key, str(proxy.seen))
        self.each(zip(PROVIDERS), check)

    def test_a_tunnel_to_a_server_that_is_trusted(self):
        certificate = self.certificate("DNS:provider.test")

        def check(provider):
            with self.fake(provider, [GREETING], certificate=certificate) as fake, Proxy(fake.port) as proxy:
                model = {"provider": provider, "model": "test-model", "ca_file": certificate, "base_url": "https://provider.test" + fake.dialect.base_path}
                models = self.file(uuid.uuid4().hex, json.dumps({"mine": model}))
                done = self.agent(fake, "--output", "text", "--models", models, "--llm", "mine", environment=self.environment(fake, https_proxy=proxy.url))
                self.assertEqual((self.result(done), len(proxy.seen)), ("Hello.", 1))
                self.assertNotIn(self.key, str(proxy.seen))
        self.each(zip(PROVIDERS), check)

    def test_a_proxy_that_refuses(self):
        def check(provider):
            with self.fake(provider, []) as fake, Proxy() as proxy:
                done = self.agent(fake, "--output", "text", environment=self.environment(
                    fake, https_proxy=proxy.url, **{fake.dialect.url_variable: "https://provider.test" + fake.dialect.base_path}))
                self.assertEqual((done.kind, len(proxy.seen)), (("network", 3), 3), str(done))
                self.assertNotIn(self.key, str(proxy.seen))
        self.each(zip(PROVIDERS), check)

    def test_this_machine_is_asked_directly(self):
        def check(provider):
            with self.fake(provider, [GREETING]) as fake, Proxy() as proxy:
                done = self.agent(fake, "--output", "text", environment=self.environment(
                    fake, http_proxy=proxy.url, https_proxy=proxy.url, all_proxy=proxy.url))
                self.assertEqual((self.result(done), proxy.seen), ("Hello.", []))
        self.each(zip(PROVIDERS), check)


if __name__ == "__main__":
    main()
