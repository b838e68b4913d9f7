/**
 * The guard of the memory budget: no path holds more than 64 MB at once, however large the file that
 * goes through it. Measured in workerd itself, and shown a Worker that does hold more.
 */
import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { Log, LogLevel, Miniflare } from "miniflare";
import { writeXlsx } from "hucre";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../scripts/free-port.ts";
import { postStream } from "../support/node/post-stream.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { LIVE_BYTES_MAX, watchLiveBytes } from "../support/node/watch-live-bytes.ts";
import { waitUntil } from "../support/wait-until.ts";

const MB = 1024 * 1024;
const FILE_BYTES = 250 * MB;
const PIECE = Buffer.alloc(8 * MB, "0123456789abcdef");

let service: RunningService;
let source: Server;
let origin: string;
let inspectorPort: number;

beforeAll(async () => {
  source = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": FILE_BYTES });
    void (async () => {
      for await (const piece of pieces(FILE_BYTES)) {
        if (!response.write(piece)) {
          await once(response, "drain");
        }
      }
      response.end();
    })();
  });
  const port = await freePort();
  source.listen(port, "127.0.0.1");
  await once(source, "listening");
  origin = `http://127.0.0.1:${port}`;
  inspectorPort = await freePort();
  service = await startService({
    inspectorPort,
    env: { EGRESS_ALLOW_LOOPBACK: `127.0.0.1:${port}` },
  });
});

afterAll(async () => {
  await service?.stop();
  source?.closeAllConnections();
  source?.close();
  await rm(service?.directory ?? "", { recursive: true, force: true });
});

async function* pieces(bytes: number): AsyncGenerator<Buffer> {
  for (let left = bytes; left > 0; left -= PIECE.length) {
    yield PIECE.subarray(0, Math.min(left, PIECE.length));
  }
}

const poke = () => service.client.call("GET", "/api/v1/assets?limit=1");
const watched = (act: () => Promise<unknown>, worker = "edgeloom") =>
  watchLiveBytes(inspectorPort, worker, act, poke);

async function expectFlat(act: () => Promise<unknown>, worker?: string): Promise<void> {
  const { peak, samples } = await watched(act, worker);
  process.stderr.write(
    `live bytes: ${expect.getState().currentTestName}: ${(peak / MB).toFixed(1)} MB over rest, ${samples} samples\n`,
  );
  expect(samples).toBeGreaterThan(0);
  expect(peak).toBeLessThan(LIVE_BYTES_MAX);
}

async function uploadForm(name: string, body: AsyncIterable<Uint8Array>): Promise<string> {
  async function* form() {
    yield Buffer.from(
      `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`,
    );
    yield* body;
    yield Buffer.from("\r\n--b--\r\n");
  }
  const { status, text } = await postStream(
    new URL("/api/v1/assets", service.baseUrl),
    {
      authorization: `Bearer ${await service.client.token()}`,
      "content-type": "multipart/form-data; boundary=b",
    },
    form(),
  );
  expect(status, text).toBe(201);
  return (JSON.parse(text) as { path: string }).path;
}

async function remove(path: string): Promise<void> {
  await service.client.send("DELETE", `/api/v1/assets?path=${encodeURIComponent(path)}`);
}

test("an upload of 250 MB", { timeout: 180_000 }, async () => {
  await expectFlat(async () => remove(await uploadForm("large.txt", pieces(FILE_BYTES))));
});

test("an import of 250 MB", { timeout: 180_000 }, async () => {
  await expectFlat(async () => {
    const { path, size_bytes: size } = await service.client.call<{
      path: string;
      size_bytes: number;
    }>("POST", "/api/v1/assets/import", { body: { url: `${origin}/large.txt` } });
    expect(size).toBe(FILE_BYTES);
    await remove(path);
  });
});

test("a presigned upload of 250 MB in parts", { timeout: 180_000 }, async () => {
  await expectFlat(async () => {
    const call = <T>(path: string, body?: unknown) =>
      service.client.call<T>(body === undefined ? "GET" : "POST", `/api/v1/assets/uploads${path}`, {
        ...(body !== undefined && { body }),
      });
    const { upload_id: id } = await call<{ upload_id: string }>("", {
      file_name: "large.txt",
      size_bytes: FILE_BYTES,
    });
    const parts: Buffer[] = [];
    for await (const piece of pieces(FILE_BYTES)) {
      parts.push(piece);
    }
    const { parts: grants } = await call<{
      parts: { upload_url: string; required_headers: Record<string, string> }[];
    }>(`/${id}/parts:sign`, {
      parts: parts.map((bytes, index) => ({
        part_number: index + 1,
        size_bytes: bytes.length,
        checksum_base64: createHash("md5").update(bytes).digest("base64"),
      })),
    });
    const lane = async (from: number) => {
      for (let at = from; at < parts.length; at += 4) {
        const put = await fetch(grants[at]!.upload_url, {
          method: "PUT",
          headers: grants[at]!.required_headers,
          body: parts[at]! as Uint8Array<ArrayBuffer>,
        });
        expect(put.status, await put.text()).toBe(200);
      }
    };
    await Promise.all([0, 1, 2, 3].map(lane));
    const done = await call<{ upload_id: string }>(`/${id}:complete`, {});
    expect(done.upload_id).toBe(id);
    const status = await waitUntil(
      "the upload's end",
      async () => {
        const { status: now } = await call<{ status: string }>(`/${id}`);
        return (now === "finalized" || now === "failed") && now;
      },
      60_000,
    );
    expect(status).toBe("finalized");
  });
});

test(
  "an inspection of a CSV of 50 MB and of a workbook of 60,000 rows",
  { timeout: 180_000 },
  async () => {
    async function* csv() {
      yield Buffer.from("a,b,c,d\n");
      const rows = Buffer.from('1,"two, quoted",2024-01-01,3.50\n'.repeat(32_768));
      for (let sent = 0; sent < 50 * MB; sent += rows.length) {
        yield rows;
      }
    }
    const table = await uploadForm("rows.csv", csv());
    const rows = Array.from({ length: 60_000 }, (_, i) => [i, `Name ${i}`, `Note ${i}`, i / 7]);
    const bytes = await writeXlsx({
      sheets: [{ name: "Rows", rows: [["a", "b", "c", "d"], ...rows] }],
    });
    const book = await uploadForm(
      "rows.xlsx",
      (async function* () {
        yield Buffer.from(bytes);
      })(),
    );
    for (const [asset_path, count] of [
      [table, 1_638_400],
      [book, 60_000],
    ] as const) {
      await expectFlat(async () => {
        const { row_count: found } = await service.client.call<{ row_count: number }>(
          "POST",
          "/api/v1/structured-data/inspect",
          { body: { asset_path } },
        );
        expect(found).toBe(count);
      });
    }
  },
);

test("a Worker that holds a file is found", { timeout: 60_000 }, async () => {
  const planted = new Miniflare({
    name: "planted",
    cf: false,
    host: "127.0.0.1",
    port: await freePort(),
    log: new Log(LogLevel.ERROR),
    inspectorPort: await freePort(),
    modules: true,
    compatibilityDate: "2026-07-01",
    script: `export default { async fetch(request) {
      const bytes = await request.arrayBuffer();
      for (let turn = 0; bytes.byteLength > 1 && turn < 40; turn++) { await new Promise((go) => setTimeout(go, 50)); }
      return new Response(String(bytes.byteLength));
    } };`,
  });
  try {
    const url = await planted.ready;
    const { peak } = await watchLiveBytes(
      Number((await planted.getInspectorURL()).port),
      "planted",
      () => postStream(url, {}, pieces(80 * MB)),
      () => postStream(url, {}, pieces(1)),
    );
    expect(peak).toBeGreaterThan(LIVE_BYTES_MAX);
  } finally {
    await planted.dispose();
  }
});
