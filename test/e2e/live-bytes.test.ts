/** Large uploads and downloads: neither Worker holds more than 64 MB of them. */
import "../support/only-in-proof.ts";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../scripts/free-port.ts";
import { readResult } from "../../scripts/run-workflow.ts";
import { FILE_PART } from "../support/node/live-bytes/watch-points.ts";
import { WatchedService } from "../support/node/live-bytes/watched-service.ts";
import { waitUntil } from "../support/wait-until.ts";

const MB = 1024 * 1024;
const FILE_BYTES = 250 * MB;
/** The file that is fetched. */
const SOURCE_BYTES = 96 * MB;
const PIECE = Buffer.alloc(8 * MB, "0123456789abcdef");

let watched: WatchedService;
let source: Server;
let origin: string;

beforeAll(async () => {
  source = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": SOURCE_BYTES });
    void (async () => {
      for await (const piece of pieces(SOURCE_BYTES)) {
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
  watched = await WatchedService.start({
    env: { EGRESS_ALLOW_LOOPBACK: `127.0.0.1:${port}` },
    points: { api: [FILE_PART], runner: [FILE_PART] },
  });
});

afterAll(async () => {
  await watched?.stop();
  source?.closeAllConnections();
  source?.close();
});

async function* pieces(bytes: number): AsyncGenerator<Buffer> {
  for (let left = bytes; left > 0; left -= PIECE.length) {
    yield PIECE.subarray(0, Math.min(left, PIECE.length));
  }
}

test(`an upload of ${FILE_BYTES / MB} MB`, async () => {
  await watched.expectFlat(
    async () => watched.remove(await watched.upload("large.txt", pieces(FILE_BYTES))),
    [FILE_PART],
  );
});

test("an import of 96 MB", async () => {
  await watched.expectFlat(async () => {
    const { path, size_bytes: size } = await watched.call<{
      path: string;
      size_bytes: number;
    }>("POST", "/api/v1/assets/import", { url: `${origin}/large.txt` });
    expect(size).toBe(SOURCE_BYTES);
    await watched.remove(path);
  }, [FILE_PART]);
});

test("a file of 96 MB that a node fetches, and its download", async () => {
  const workflow = await watched.publish(
    "fetch",
    [
      { id: "url", type: "input/text" },
      { id: "media", type: "utility/media_from_url", parameters: { media_type: "document" } },
      { id: "out", type: "output/document", parameters: { key: "out" } },
    ],
    ["url.text > media.url", "media.media > out.document"],
  );
  await watched.expectFlat(async () => {
    const { id } = await watched.run(workflow, {
      url: { value: JSON.stringify(`${origin}/large.txt`) },
    });
    const { result } = await readResult(watched.service.client, id);
    const reply = await fetch(result.by_key["out"]?.url ?? "");
    let bytes = 0;
    for await (const piece of reply.body ?? []) {
      bytes += piece.byteLength;
    }
    expect(bytes).toBe(SOURCE_BYTES);
  }, [FILE_PART]);
});

test("a presigned upload of 250 MB in parts", async () => {
  await watched.expectFlat(async () => {
    const call = <T>(path: string, body?: unknown) =>
      watched.call<T>(body === undefined ? "GET" : "POST", `/api/v1/assets/uploads${path}`, body);
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
      300_000,
    );
    expect(status).toBe("finalized");
  });
});
