import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type PostOptions, post } from "../../shared/webhooks/post.ts";
import { resolvePublic } from "../../shared/webhooks/resolve.ts";

const limitMs = 300;
const body = Buffer.from('{"id":"event-1"}');
const here = async () => "127.0.0.1";

/** Posts to a host of any name, which leads to a port of this computer, without TLS. */
function send(port: number, options: Partial<PostOptions> = {}) {
  const url = new URL(`http://receiver.example:${port}/events?from=workforce`);
  return post(
    { url, headers: { "content-type": "application/json" }, body },
    { limitMs, resolve: here, request, ...options },
  );
}

async function listening(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A server that writes what it is given as soon as it was called, and no more. */
async function writing(...parts: string[]): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      for (const part of parts) socket.write(part);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

test("D42: a posting is the bytes as they are, to the address that was resolved, with few headers", async () => {
  const got: { request: IncomingMessage; bytes: Buffer }[] = [];
  const port = await listening(async (request, response) => {
    got.push({ request, bytes: Buffer.concat(await request.toArray()) });
    response.writeHead(204).end();
  });
  const resolved: string[] = [];
  const resolve = (host: string) => {
    resolved.push(host);
    return here();
  };
  expect(await send(port, { resolve })).toEqual({ status: 204, retryAfter: undefined });
  expect(resolved).toEqual(["receiver.example"]);
  const [{ request: { method, url, headers } = {}, bytes } = {}] = got;
  expect([method, url, bytes]).toEqual(["POST", "/events?from=workforce", body]);
  expect(headers).toEqual({
    "content-type": "application/json",
    "content-length": "16",
    host: `receiver.example:${port}`,
    connection: "close",
  });
});

test("D42: a redirect is an answer like any other: nothing is sent to where it leads", async () => {
  let calls = 0;
  const port = await listening((_, response) => {
    calls += 1;
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  expect((await send(port)).status).toBe(307);
  expect(calls).toBe(1);
});

test("D42: a refusal is given with what it asks for", async () => {
  const port = await listening((_, response) => response.writeHead(503, { "retry-after": "120" }).end("later"));
  expect(await send(port)).toEqual({ status: 503, retryAfter: "120" });
});

test("D42: a receiver that does not answer is waited for no longer than the limit", async () => {
  const port = await listening(() => {});
  await expect(send(port)).rejects.toMatchObject({ code: "timed_out" });
});

test("D42: so is one that sends headers without end, or interim answers", async () => {
  const { port } = await writing("HTTP/1.1 200 OK\r\n", "x: y\r\n");
  const interim = await writing("HTTP/1.1 102 Processing\r\n\r\n".repeat(3));
  const outcomes = await Promise.allSettled([send(port), send(interim.port)]);
  expect(outcomes.map((each) => each.status === "rejected" && each.reason.code)).toEqual(["timed_out", "timed_out"]);
});

test("D42: headers above 8 KB end the connection", async () => {
  const { port } = await writing(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(9_000)}\r\n\r\n`);
  await expect(send(port)).rejects.toMatchObject({ code: "connection_failed" });
});

test("D42: the status counts although the body never ends; of a long body some KB are read", async () => {
  const slow = await writing("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n", "so far");
  expect((await send(slow.port)).status).toBe(200);
  let written = 0;
  const port = await listening((_, response) => {
    const chunk = Buffer.alloc(64 * 1024);
    const write = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length;
      written += chunk.length;
    };
    response.on("drain", write).on("error", () => {});
    write();
  });
  expect((await send(port)).status).toBe(200);
  // What the sockets of both sides hold, and no more.
  expect(written).toBeLessThan(20 * 1024 * 1024);
});

test("D42: an answer that changes the protocol ends the attempt, and the connection", async () => {
  const { port, sockets } = await writing(
    "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
  );
  expect((await send(port)).status).toBe(101);
  const [socket] = sockets;
  if (socket && !socket.destroyed) await once(socket, "close");
  expect(socket?.destroyed).toBe(true);
});

test("D42: a connection that is refused, closes early or speaks no TLS is a failure of its own", async () => {
  const port = await listening((request) => request.socket.destroy());
  await expect(send(port)).rejects.toMatchObject({ code: "connection_failed" });
  const { port: plainPort } = await writing("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  const url = new URL(`https://receiver.example:${plainPort}/`);
  const fault = await post({ url, headers: {}, body }, { limitMs, resolve: here }).catch((error) => error);
  expect(fault).toMatchObject({ code: "connection_failed" });
  expect(String(fault.cause.code)).toMatch(/EPROTO|SSL/);
});

test("D42: a host without a public address is not dialled", async () => {
  let calls = 0;
  const port = await listening((_, response) => {
    calls += 1;
    response.end();
  });
  const { resolver } = await nameServer("127.0.0.1");
  await expect(send(port, { resolve: resolver })).rejects.toMatchObject({ code: "address_not_public" });
  expect(calls).toBe(0);
});

test("D42: of several addresses a public one is dialled, and its answer is asked for once", async () => {
  const { resolver, asked } = await nameServer("10.0.0.1", "93.184.215.14");
  const signal = AbortSignal.timeout(limitMs);
  expect(await resolver("receiver.example", { signal })).toBe("93.184.215.14");
  expect(asked).toHaveLength(1);
});

test("D42: name servers that never answer are given up with the limit, and take no thread", async () => {
  const { resolver } = await nameServer();
  await expect(send(1, { resolve: resolver })).rejects.toMatchObject({ code: "timed_out" });
});

test("D42: an unknown host is a failure of its own", async () => {
  const { resolver } = await nameServer("unknown");
  await expect(send(1, { resolve: resolver })).rejects.toMatchObject({ code: "host_unknown" });
});

/** A resolver that asks a name server of its own: it answers with addresses of IPv4, that none is known, or never. */
async function nameServer(...addresses: string[]) {
  const asked: Buffer[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (question, { port, address }) => {
    asked.push(question);
    if (addresses.length > 0) socket.send(dnsAnswer(question, addresses), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  const servers = [`127.0.0.1:${socket.address().port}`];
  const resolver = (host: string, { signal }: { signal: AbortSignal }) => resolvePublic(host, { servers, signal });
  return { resolver, asked };
}

/** An answer of DNS to a question for one name (RFC 1035): its records of IPv4, or that there is no such name. */
function dnsAnswer(question: Buffer, addresses: string[]): Buffer {
  const isUnknown = addresses.includes("unknown");
  const end = question.indexOf(0, 12) + 5;
  const isV4 = question.readUInt16BE(end - 4) === 1;
  const found = isUnknown || !isV4 ? [] : addresses;
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(isUnknown ? 0x8183 : 0x8180, 2);
  for (const [at, count] of [1, found.length, 0, 0].entries()) header.writeUInt16BE(count, 4 + 2 * at);
  const records = found.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)]),
  );
  return Buffer.concat([header, question.subarray(12, end), ...records]);
}
