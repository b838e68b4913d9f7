import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApiClient } from "../../../scripts/api-client.ts";
import { isClosedConnection, sendAgain } from "../../../scripts/send-again.ts";

/** Where Node's `fetch` keeps its connections. */
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");
interface Scope {
  [DISPATCHER]?: { constructor: new (options: { connections: number }) => object };
}
const scope = globalThis as Scope;

let server: Server | undefined;
let usual: Scope[typeof DISPATCHER];
beforeEach(async () => {
  // Node makes it with the first request.
  await fetch("data:,");
  usual = scope[DISPATCHER];
  // With one connection a request waits until the connection of the last one is free, and never opens another beside it.
  Object.assign(scope, { [DISPATCHER]: new usual!.constructor({ connections: 1 }) });
});
afterEach(() => {
  Object.assign(scope, { [DISPATCHER]: usual });
  server?.close();
});

const response = (json: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`;

/** Serves the first request of each connection; closes it, or resets it, on the second without a response. */
async function closingServer(
  end = (socket: Socket) => void socket.end(),
): Promise<{ client: ApiClient; asked: string[] }> {
  const asked: string[] = [];
  const listening = createServer((socket) => {
    let requests = 0;
    socket.on("data", (bytes) => {
      const line = bytes.toString().split("\r\n")[0] ?? "";
      asked.push(line.replace(" HTTP/1.1", ""));
      requests += 1;
      if (requests > 1) {
        end(socket);
      } else {
        socket.write(response(line.includes("token") ? '{"access_token":"t"}' : '{"ok":true}'));
      }
    });
  });
  server = listening;
  await new Promise<void>((resolve) => {
    listening.listen(0, "127.0.0.1", resolve);
  });
  const address = listening.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const client = new ApiClient({
    base_url: `http://127.0.0.1:${String(port)}`,
    client_id: "id",
    client_secret: "secret",
  });
  await client.token();
  asked.length = 0;
  return { client, asked };
}

test("a GET on a connection that the service has closed is sent again on a new one", async () => {
  const { client, asked } = await closingServer();
  expect(await client.call("GET", "/runs")).toEqual({ ok: true });
  expect(asked).toEqual(["GET /runs", "GET /runs"]);
});

test("a PUT, and a POST with an Idempotency-Key, are sent again, also after a reset", async () => {
  const end = (socket: Socket) => void socket.resetAndDestroy();
  const put = await closingServer(end);
  expect(await put.client.call("PUT", "/file", { body: {} })).toEqual({ ok: true });
  expect(put.asked).toEqual(["PUT /file", "PUT /file"]);
  server?.close();
  const { client, asked } = await closingServer(end);
  const headers = { "Idempotency-Key": "once" };
  expect(await client.call("POST", "/runs", { headers, body: {} })).toEqual({ ok: true });
  expect(asked).toEqual(["POST /runs", "POST /runs"]);
});

test("a request is sent again for each closed connection of the pool, four times in all at most", async () => {
  const closed = new TypeError("fetch failed", {
    cause: Object.assign(new Error("write EPIPE"), { code: "EPIPE" }),
  });
  const sends = (failures: number, error: Error = closed) => {
    let sent = 0;
    const done = sendAgain(
      () => (sent++ < failures ? Promise.reject(error) : Promise.resolve(new Response("ok"))),
      isClosedConnection,
    );
    return done.then(
      () => sent,
      () => -sent,
    );
  };
  expect(await Promise.all([sends(0), sends(3), sends(4)])).toEqual([1, 4, -4]);
  const refused = new TypeError("fetch failed", {
    cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
  });
  expect(await sends(1, refused)).toBe(-1);
});

test("a request that might be executed twice is not sent again", async () => {
  const { client, asked } = await closingServer();
  await expect(client.call("POST", "/runs", { body: {} })).rejects.toThrow("fetch failed");
  expect(asked).toEqual(["POST /runs"]);
});
