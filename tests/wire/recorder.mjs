// A server on the loopback that keeps what clients send and answers what it is told to.
import {createServer} from "node:http";
import {once} from "node:events";

/** What differs between machines and versions of the network code, and says nothing about the protocol. */
const volatileHeader = (name) =>
  ["host", "connection", "content-length", "user-agent", "x-goog-api-client", "accept-language", "sec-fetch-mode", "accept-encoding"].includes(name) ||
  name.startsWith("x-stainless-");

const stable = (headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => !volatileHeader(name)));

/** Text to be read as JSON, empty text as null. */
const bodyOf = (text) => (text === "" ? null : JSON.parse(text));

/**
 * A recorder that answers request after request with `replies`, and the last of them from then on. A reply is
 * {status, headers, body}. `url` is its address, `requests` what it got: {method, path, headers, body}.
 */
export async function record(...replies) {
  const requests = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const {status, headers, body} = replies[Math.min(requests.length, replies.length - 1)];
      requests.push({method: request.method, path: request.url, headers: stable(request.headers), body: bodyOf(Buffer.concat(parts).toString())});
      response.writeHead(status, headers);
      response.end(body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
