import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** An HTTP server, by default on the loopback interface. */
export interface HttpService {
  port: number;
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1 only, or with `lan` on every IPv4 address of this computer. Port 0 takes a free one. Rejects
 * with the system's error if the port is taken.
 */
export async function startHttpService(
  listener: RequestListener,
  { port = 0, lan = false }: { port?: number; lan?: boolean | undefined } = {},
): Promise<HttpService> {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  server.listen(port, lan ? "0.0.0.0" : "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return server[Symbol.asyncDispose]();
  };
  return { port: address.port, close };
}

/** API Gateway's limit. */
const mostBytes = 10 * 1024 * 1024;

/** The whole body of a request; undefined if it is longer than `limit` bytes. */
export async function readBody(request: IncomingMessage, limit = mostBytes): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
  }
  return length <= limit ? Buffer.concat(chunks) : undefined;
}

/** Below the range from which operating systems assign ports to connections at any moment. */
const lowestPort = 20_000;
const portsEnd = 32_768;

/** A TCP port of the loopback interface that is free at this moment: the given one, or any for 0. */
export async function findFreePort(wanted = 0): Promise<number> {
  if (wanted !== 0) return requireFree(wanted);
  return requireFree(randomInt(lowestPort, portsEnd)).catch(() => requireFree(wanted));
}

async function requireFree(wanted: number): Promise<number> {
  try {
    const { port, close } = await startHttpService(() => {}, { port: wanted });
    await close();
    return port;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Error(`Port ${wanted} is in use: stop the process that uses it, or set PORT to another one.`);
  }
}
