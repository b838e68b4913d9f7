import { createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ApiClient } from "../../../scripts/api-client.ts";

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

const response = (json: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`;

/** Serves the first request of each connection, and closes it on the second without a response. */
async function closingServer(): Promise<{ client: ApiClient; asked: string[] }> {
  const asked: string[] = [];
  const listening = createServer((socket) => {
    let requests = 0;
    socket.on("data", (bytes) => {
      const line = bytes.toString().split("\r\n")[0] ?? "";
      asked.push(line.replace(" HTTP/1.1", ""));
      requests += 1;
      if (requests > 1) {
        socket.end();
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
  // The connection returns to the pool shortly after its response was read.
  await new Promise((resolve) => {
    setTimeout(resolve, 50);
  });
  return { client, asked };
}

test("a GET on a connection that the service has closed is sent again on a new one", async () => {
  const { client, asked } = await closingServer();
  expect(await client.call("GET", "/runs")).toEqual({ ok: true });
  expect(asked).toEqual(["POST /api/v1/auth/token", "GET /runs", "GET /runs"]);
});

test("a request that might be executed twice is not sent again", async () => {
  const { client, asked } = await closingServer();
  await expect(client.call("POST", "/runs", { body: {} })).rejects.toThrow("fetch failed");
  expect(asked).toEqual(["POST /api/v1/auth/token", "POST /runs"]);
});
