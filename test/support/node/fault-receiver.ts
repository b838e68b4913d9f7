/** A webhook receiver with scripted faults, on bare sockets, so that it can do things that no HTTP server does. */
import { createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";

export type ScriptedResponse =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly delayMs?: number;
    }
  | {
      readonly fault:
        | "hang"
        | "reset"
        | "reset-in-body"
        | "slow-headers"
        | "slow-body"
        | "endless-body"
        | "endless-headers"
        | "informational-storm"
        | "gzip-bomb"
        | "garbage"
        | "close";
    };

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** By the wall clock. */
  readonly atMs: number;
}

export class FaultReceiver {
  readonly requests: ReceivedRequest[] = [];
  readonly #server: Server;
  readonly #scripts = new Map<string, ScriptedResponse[]>();
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<ReturnType<typeof setInterval>>();

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<FaultReceiver> {
    const receiver = new FaultReceiver();
    await new Promise<void>((resolve) => {
      receiver.#server.listen(0, "127.0.0.1", resolve);
    });
    return receiver;
  }

  /** `127.0.0.1:port`, in the form of EGRESS_ALLOW_LOOPBACK. */
  get host(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") {
      throw new Error("The receiver does not listen.");
    }
    return `127.0.0.1:${address.port}`;
  }

  url(path: string): string {
    return `http://${this.host}${path}`;
  }

  /** The responses of a path, one after the other; the last is repeated. Without a script 204. */
  script(path: string, ...answers: readonly ScriptedResponse[]): void {
    this.#scripts.set(path, [...answers]);
  }

  at(path: string): readonly ReceivedRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) {
      clearInterval(timer);
    }
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined);
    let received = Buffer.alloc(0);
    socket.on("data", (piece) => {
      received = Buffer.concat([received, piece]);
      const end = received.indexOf("\r\n\r\n");
      if (end === -1) {
        return;
      }
      const [requestLine = "", ...lines] = received
        .subarray(0, end)
        .toString("latin1")
        .split("\r\n");
      const headers = Object.fromEntries(
        lines.map((line) => {
          const colon = line.indexOf(":");
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
        }),
      );
      const length = Number(headers["content-length"] ?? 0);
      if (received.length < end + 4 + length) {
        return;
      }
      const body = received.subarray(end + 4, end + 4 + length).toString("utf8");
      received = Buffer.alloc(0);
      const path = requestLine.split(" ")[1] ?? "";
      this.requests.push({ path, headers, body, atMs: Date.now() });
      const script = this.#scripts.get(path) ?? [];
      const response = (script.length > 1 ? script.shift() : script[0]) ?? { status: 204 };
      if ("fault" in response) {
        this.#fault(socket, response.fault);
      } else {
        setTimeout(() => socket.end(responseText(response)), response.delayMs ?? 0);
      }
    });
  }

  #fault(socket: Socket, fault: Extract<ScriptedResponse, { fault: string }>["fault"]): void {
    const head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";
    switch (fault) {
      case "hang":
        return;
      case "close":
        socket.end();
        return;
      case "reset":
        socket.resetAndDestroy();
        return;
      case "reset-in-body":
        socket.write(`${head}content-length: 1000\r\n\r\nhalf`, () => socket.resetAndDestroy());
        return;
      case "garbage":
        socket.end("\u0000\u0001 this is not HTTP\r\n\r\n");
        return;
      case "slow-headers":
        socket.write(head);
        this.#every(socket, 200, () => socket.write("x"));
        return;
      case "slow-body":
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
        this.#every(socket, 200, () => socket.write("1\r\nx\r\n"));
        return;
      case "endless-body":
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
        this.#flood(socket, `10000\r\n${"x".repeat(0x10000)}\r\n`);
        return;
      case "endless-headers":
        socket.write("HTTP/1.1 200 OK\r\n");
        this.#flood(socket, `x-filler: ${"x".repeat(0x1000)}\r\n`);
        return;
      case "informational-storm":
        this.#flood(socket, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(500));
        return;
      case "gzip-bomb": {
        const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
        socket.write(`${head}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
        socket.end(bomb);
        return;
      }
    }
  }

  #every(socket: Socket, ms: number, act: () => void): void {
    const timer = setInterval(act, ms);
    this.#timers.add(timer);
    socket.on("close", () => clearInterval(timer));
  }

  /** Writes as long as the client reads. */
  #flood(socket: Socket, piece: string): void {
    const more = () => {
      let writes = 0;
      while (!socket.destroyed && socket.writable && writes < 64 && socket.write(piece)) {
        writes += 1;
      }
      if (writes === 64) {
        setImmediate(more);
      }
    };
    socket.on("drain", more);
    more();
  }
}

function responseText(response: Extract<ScriptedResponse, { status: number }>): string {
  const body = response.body ?? "";
  const headers = { "content-type": "text/plain", connection: "close", ...response.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = response.status === 204 ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `HTTP/1.1 ${response.status} Scripted\r\n${lines.join("")}${length}\r\n${body}`;
}
