import { Log, LogLevel, Miniflare } from "miniflare";
import type { ApiClient } from "../scripts/api-client.ts";
import { freePort } from "../scripts/free-port.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import { median, spread } from "./statistics.ts";

const SIZE = 200 * 1024 * 1024;
const ROUNDS = 4;
const BOUNDARY = "bench";
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="bench.txt"\r\n\r\n`;
const TAIL = `\r\n--${BOUNDARY}--\r\n`;
const PIECE = Buffer.alloc(1024 * 1024, "0123456789abcdef");

/** The minimum a Worker can do with a body: pass it to the bucket. */
const BARE_WORKER = `export default {
  async fetch(request, env) {
    if (request.method === "DELETE") {
      await env.FILES.delete("x");
      return new Response(null, { status: 204 });
    }
    const { size } = await env.FILES.put("x", request.body);
    return new Response(String(size));
  },
};`;

/** A form of 200 MB through the whole service, beside a bare `bucket.put` of the same bytes. */
export async function measureUploads(client: ApiClient, directory: string): Promise<Figure> {
  const port = await freePort();
  const peer = new Miniflare({
    host: "127.0.0.1",
    // The Worker has its own address, like the service.
    port: 0,
    unsafeDirectSockets: [{ host: "127.0.0.1", port }],
    cf: false,
    log: new Log(LogLevel.ERROR),
    modules: true,
    script: BARE_WORKER,
    compatibilityDate: "2026-07-01",
    r2Buckets: ["FILES"],
    r2Persist: directory,
  });
  try {
    await peer.ready;
    return await compare(client, `http://127.0.0.1:${port}/`);
  } finally {
    await peer.dispose();
  }
}

async function compare(client: ApiClient, bareUrl: string): Promise<Figure> {
  const samples = await interleave(
    ROUNDS,
    { upload: () => upload(client), bare: () => bare(bareUrl) },
    1,
  );
  const ratio = median(samples.upload) / median(samples.bare);
  return {
    name: "an upload of 200 MB",
    unit: "ms",
    ours: spread(samples.upload),
    beside: [{ name: "bare R2 put", value: spread(samples.bare) }],
    targets: [atMost("≤ 1.3 × bare R2 put", ratio, 1.3)],
  };
}

async function upload(client: ApiClient): Promise<number> {
  const started = performance.now();
  const response = await fetch(new URL("/api/v1/assets", client.baseUrl), {
    method: "POST",
    headers: {
      authorization: `Bearer ${await client.token()}`,
      "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
      "content-length": String(HEAD.length + SIZE + TAIL.length),
    },
    body: bytes(HEAD, TAIL),
    duplex: "half",
  } as RequestInit);
  const { path, size_bytes: size } = (await response.json()) as {
    path: string;
    size_bytes: number;
  };
  const tookMs = performance.now() - started;
  if (response.status !== 201 || size !== SIZE) {
    throw new Error(`The upload returned ${response.status} and ${size} bytes.`);
  }
  await client.send("DELETE", `/api/v1/assets?path=${encodeURIComponent(path)}`);
  return tookMs;
}

async function bare(filesUrl: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(filesUrl, {
    method: "PUT",
    headers: { "content-length": String(SIZE) },
    body: bytes("", ""),
    duplex: "half",
  } as RequestInit);
  const tookMs = performance.now() - started;
  if ((await response.text()) !== String(SIZE)) {
    throw new Error(`The bare put returned ${response.status}.`);
  }
  await fetch(filesUrl, { method: "DELETE" });
  return tookMs;
}

function bytes(head: string, tail: string): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      if (sent === 0 && head !== "") {
        controller.enqueue(Buffer.from(head));
      }
      if (sent === SIZE) {
        if (tail !== "") {
          controller.enqueue(Buffer.from(tail));
        }
        controller.close();
        return;
      }
      sent += PIECE.byteLength;
      controller.enqueue(PIECE);
    },
  });
}
