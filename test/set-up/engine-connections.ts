import { connect, type Socket } from "node:net";

/** A request as the SDK gives it to its handler. */
export interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly hostname: string;
  readonly port?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** An answer as the SDK reads it. */
export interface SdkAnswer {
  readonly response: {
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array;
  };
}

interface Waiting {
  resolve(answer: SdkAnswer): void;
  reject(error: Error): void;
}

const headEnd = "\r\n\r\n";

/** Carries requests to one server that answers each with a `content-length`, and keeps its connections for the next ones. */
export class EngineConnections {
  readonly #idle: Connection[] = [];

  /** Sends a request, and resolves to the whole answer. Rejects as the SDK's own handler does if the connection is lost. */
  send(request: SdkRequest): Promise<SdkAnswer> {
    const connection = this.#idle.pop() ?? this.#open(request);
    return connection.send(request).finally(() => {
      if (connection.isOpen) this.#idle.push(connection);
    });
  }

  #open({ hostname, port = 80 }: SdkRequest): Connection {
    const socket = connect({ host: hostname, port, noDelay: true });
    const connection = new Connection(socket);
    socket.once("close", () => {
      const at = this.#idle.indexOf(connection);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return connection;
  }
}

class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: Waiting | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (part: Buffer) => this.#take(part));
    socket.on("error", (error) => this.#lose(error));
    socket.on("close", () => this.#lose(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  send({ method, path, headers, body = "" }: SdkRequest): Promise<SdkAnswer> {
    const lines = [`${method} ${path} HTTP/1.1`];
    for (const name in headers) lines.push(`${name}: ${headers[name]}`);
    const text =
      typeof body === "string" ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(`${lines.join("\r\n")}${headEnd}${text}`);
    });
  }

  #take(part: Buffer): void {
    this.#received = this.#received.length === 0 ? part : Buffer.concat([this.#received, part]);
    const end = this.#received.indexOf(headEnd);
    if (end < 0) return;
    const [status = "", ...lines] = this.#received.toString("latin1", 0, end).split("\r\n");
    const headers = Object.fromEntries(lines.map(headerOf));
    const start = end + headEnd.length;
    const whole = start + Number(headers["content-length"]);
    if (this.#received.length < whole) return;
    const body = this.#received.subarray(start, whole);
    this.#received = this.#received.subarray(whole);
    this.#end()?.resolve({ response: { statusCode: Number(status.split(" ")[1]), headers, body } });
  }

  #lose(error: Error): void {
    this.#end()?.reject(Object.assign(error, { name: "TimeoutError" }));
  }

  #end(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}

function headerOf(line: string): [string, string] {
  const at = line.indexOf(":");
  return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
}
