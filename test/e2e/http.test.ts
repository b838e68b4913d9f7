/** Tests that need a real connection: encodings on the wire, streams that are not held back, names that the machine resolves. */
import { get, type IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningService, startService } from "../support/node/start-service.ts";

/** Resolves every name except the service's own to an address of a private network. */
const PRIVATE_NAMES = `import dns from "node:dns/promises"; import { syncBuiltinESMExports } from "node:module"; dns.lookup = async () => [{ address: "10.0.0.1", family: 4 }]; syncBuiltinESMExports();`;

let service: RunningService;
let authorization: string;

beforeAll(async () => {
  service = await startService({
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRIVATE_NAMES)}` },
  });
  authorization = `Bearer ${await service.client.token()}`;
});

afterAll(async () => {
  await service.stop();
});

interface Raw {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
}

/** A response as it is on the wire. */
function raw(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Raw> {
  return new Promise((resolve, reject) => {
    get(new URL(path, service.baseUrl), { headers: { authorization, ...headers } }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () => {
        const { statusCode: status, headers: given } = response;
        resolve({ status, headers: given, bytes: Buffer.concat(pieces) });
      });
      response.on("error", reject);
    }).on("error", reject);
  });
}

describe("the local service compresses", () => {
  it("long responses with gzip or br, as the client requests", async () => {
    const plain = await raw("/api/v1/node-types?limit=100");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    for (const [asked, coding, decode] of [
      ["gzip", "gzip", gunzipSync],
      ["br", "br", brotliDecompressSync],
      ["gzip, deflate, br", "gzip", gunzipSync],
    ] as const) {
      const response = await raw("/api/v1/node-types?limit=100", { "accept-encoding": asked });
      expect([response.status, response.headers["content-encoding"]], asked).toEqual([200, coding]);
      expect(response.headers.vary).toMatch(/accept-encoding/i);
      expect(response.bytes.byteLength).toBeLessThan(plain.bytes.byteLength);
      expect(decode(response.bytes).equals(plain.bytes), asked).toBe(true);
    }
  });

  it("pages and the OpenAPI document, but neither short responses nor pictures", async () => {
    const gzip = { "accept-encoding": "gzip" };
    for (const path of ["/docs/errors", "/swagger/public-v1/swagger.json"]) {
      expect((await raw(path, gzip)).headers["content-encoding"], path).toBe("gzip");
    }
    const health = await raw("/health", gzip);
    expect([
      health.headers["content-encoding"],
      JSON.parse(health.bytes.toString()).status,
    ]).toEqual([undefined, "ok"]);
  });

  it("no event stream, because events are sent immediately", async () => {
    const { data } = await service.client.call<{ data: readonly { id: string }[] }>(
      "GET",
      "/api/v1/workflows?limit=100",
    );
    const id = data.at(-1)?.id ?? "";
    const detail = await service.client.call<{
      execution_contract: { primary: { example: unknown } };
    }>("GET", `/api/v1/workflows/${id}`);
    const run = await service.client.call<{ id: string }>("POST", "/api/v1/executions", {
      body: detail.execution_contract.primary.example,
    });
    const events = await raw(`/api/v1/executions/${run.id}/events`, { "accept-encoding": "gzip" });
    expect(events.headers["content-encoding"]).toBeUndefined();
    expect(events.bytes.toString()).toMatch(/event: done/);
  });

  it("a definition, whose tag then is weak and still identifies the revision", async () => {
    const nodes = Array.from({ length: 20 }, (_, at) => ({
      id: `text_${String(at)}`,
      type: "input/text",
      label: `Text ${String(at)}`,
    }));
    const made = await service.client.call<{ id: string }>("POST", "/api/v1/workflows", {
      body: { name: "Long", definition: { nodes, connections: [] } },
    });
    const path = `/api/v1/workflows/${made.id}/definition`;
    const response = await raw(path, { "accept-encoding": "gzip" });
    expect(response.headers.etag).toMatch(/^W\/"/);
    const put = await fetch(new URL(path, service.baseUrl), {
      method: "PUT",
      headers: {
        authorization,
        "content-type": "application/json",
        "if-match": response.headers.etag ?? "",
      },
      body: new Uint8Array(gunzipSync(response.bytes)),
    });
    expect(put.status).toBe(200);
  });
});

describe("a name that the machine resolves to a non-public address", () => {
  it("is refused before a connection is made, wherever it is used", async () => {
    const post = async (path: string, body: unknown) => {
      const response = await fetch(new URL(path, service.baseUrl), {
        method: "POST",
        headers: {
          authorization,
          "content-type": "application/json",
          "idempotency-key": "a name of somebody's network",
        },
        body: JSON.stringify(body),
      });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    const url = "https://files.example/a.png";
    expect(await post("/api/v1/assets/import", { url })).toEqual([400, "invalid_url"]);
    expect(
      await post("/api/v1/webhooks/endpoints", {
        name: "Inside",
        url: "https://hooks.example/",
        workflow_scope: "all",
        event_types: ["com.svc.execution.finished.v1"],
      }),
    ).toEqual([400, "invalid_url"]);
  });
});
