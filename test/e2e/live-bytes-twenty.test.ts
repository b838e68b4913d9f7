/**
 * Twenty executor objects, each of another tenant, in one isolate of the runner: with the largest work that is
 * admitted they stay below 100 MB together, since all of them reserve from one budget.
 *
 * Counted, by the debugger with garbage collected: the isolate's heap, its array buffers, and every
 * live `WebAssembly.Memory`, including idle ones. Measured between two turns and, stopped in the middle of the work, at
 * points of each kind. Not counted: garbage that is not collected yet, compiled code, stacks, and memory of the process
 * outside the isolate (streams on their way to storage).
 */
import "../support/only-in-proof.ts";
import { once as onceOf } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../scripts/free-port.ts";
import { encodePng } from "../support/images/encode-png.ts";
import { largest, noise } from "../support/images/largest-picture.ts";
import { webpFile } from "../support/images/sample-files.ts";
import { expectFound } from "../support/node/live-bytes/expect-found.ts";
import {
  FILE_PART,
  JPEG_MADE,
  MEMORY_FAULTS,
  ROW_CHUNK,
  SVG_DRAWN,
  WEBP_READ,
} from "../support/node/live-bytes/watch-points.ts";
import type { WatchPoint } from "../support/node/live-bytes/live-bytes-watch.ts";
import { WatchedService } from "../support/node/live-bytes/watched-service.ts";
import { sendJson } from "../support/providers/openai-chat.ts";
import { ScriptedServer } from "../support/providers/scripted-server.ts";
import { sizeOf } from "../support/sizes.ts";
import { waitUntil } from "../support/wait-until.ts";

const MB = 1024 * 1024;
const TENANTS = 20;
const BYTES_MAX = 100 * MB;
/** Three parts of what a fetched file is stored in: one is filled while another is sent. */
const FETCHED_BYTES = 24 * MB;
/** Servers stop where most of the first part has been sent, so that all that is fetched at once is held at once. */
const STOP_AFTER_BYTES = 7 * MB;
const STOP_MS = 2_000;
/** The same while the fault is planted: until it was found, however long a busy machine needs to fetch all of it. */
const STOP_FAULTY_MAX_MS = 120_000;
let isFaulty = false;

let watched: WatchedService;
let source: Server;
let address: string;

/** Of a picture of a model, in pixels: its bytes are more than a part of what it is stored in. */
const PAINTED_SIDE = 2_048;
/** Requests for which a provider has places at once: it answers none of them before all of the first have arrived. */
const PLACES = 16;
let asking: ServerResponse[] = [];
let isBarrierUp = true;
const provider = new ScriptedServer((_request, response) => {
  asking.push(response);
  isBarrierUp &&= asking.length < PLACES;
  if (!isBarrierUp) {
    asking.splice(0).forEach(paint);
  }
});

function paint(response: ServerResponse): void {
  const picture = once("painted", () => {
    const { rgba, width, height } = noise(PAINTED_SIDE, PAINTED_SIDE);
    return encodePng(rgba, width, height);
  });
  sendJson(response, 200, { data: [{ b64_json: picture.toString("base64") }] });
}

beforeAll(async () => {
  const piece = Buffer.alloc(MB, "0123456789abcdef");
  source = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": FETCHED_BYTES });
    void (async () => {
      for (let sent = 0; sent < FETCHED_BYTES; sent += piece.length) {
        if (sent === STOP_AFTER_BYTES) {
          await (isFaulty
            ? watched.watch("runner").hasSeen(1.5 * BYTES_MAX, STOP_FAULTY_MAX_MS)
            : new Promise((resolve) => setTimeout(resolve, STOP_MS)));
        }
        if (!response.write(piece)) {
          await onceOf(response, "drain");
        }
      }
      response.end();
    })();
  });
  await provider.start();
  const port = await freePort();
  source.listen(port, "127.0.0.1");
  await onceOf(source, "listening");
  address = `http://127.0.0.1:${port}/large.txt`;
  watched = await WatchedService.start({
    env: {
      EGRESS_ALLOW_LOOPBACK: `127.0.0.1:${port}`,
      PROVIDERS_ALLOW_LOOPBACK: provider.host,
      AI_PROVIDERS: JSON.stringify([
        {
          id: "mine",
          kind: "openai_compatible",
          base_url: `http://${provider.host}/v1`,
          max_concurrency: PLACES,
          models: [
            {
              model: "painter",
              remote_model: "vendor/painter",
              capabilities: ["text_to_image"],
              cost_unit: "per_image",
              credit_cost_milli_credits: 1,
            },
          ],
        },
      ]),
    },
    points: { runner: [SVG_DRAWN, WEBP_READ, JPEG_MADE, FILE_PART, ROW_CHUNK] },
    faults: { runner: Object.values(MEMORY_FAULTS) },
  });
});

afterAll(async () => {
  await watched?.stop();
  provider.stop();
  source?.closeAllConnections();
  source?.close();
});

type Act = () => Promise<unknown>;
type Kind = (tenant: WatchedService) => Promise<Act>;

const made = new Map<string, Buffer>();
/** Files are made once for all tenants. */
function once(name: string, make: () => Uint8Array): Buffer {
  const file = made.get(name) ?? Buffer.from(make());
  made.set(name, file);
  return file;
}

async function converts(tenant: WatchedService, name: string, bytes: Buffer, format: string) {
  const asset_path = await tenant.upload(name, [bytes]);
  const workflow = await tenant.publish(
    "convert",
    [
      { id: "picture", type: "input/image" },
      { id: "out", type: "output/image", parameters: { key: "out", format } },
    ],
    ["picture.image > out.image"],
  );
  return () => tenant.run(workflow, { picture: { asset_path } });
}

const DRAWING = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><clipPath id="c"><rect width="99" height="99"/></clipPath><g clip-path="url(#c)"><rect width="100" height="100" fill="#0a5"/><circle cx="50" cy="50" r="40"/></g></svg>',
);
/** The renderer at the maximum of its memory, and the pixels that are read from it. */
const drawing: Kind = (tenant) => converts(tenant, "a.svg", DRAWING, "png");

const lossless = (width: number, height: number) => webpFile(noise(width, height), true);

/** The largest picture that is decoded whole and encoded again. */
const picture: Kind = (tenant) =>
  converts(
    tenant,
    "a.webp",
    once("picture", () => largest(lossless, "jpg", 2_400)),
    "jpg",
  );

/** The largest code, which is drawn, filtered and read back, with the largest logo that it accepts. */
const code: Kind = async (tenant) => {
  const logo = once("logo", () => largest(lossless, "logo", 2_400));
  const asset_path = await tenant.upload("logo.webp", [logo]);
  const workflow = await tenant.publish(
    "code",
    [
      { id: "logo", type: "input/image" },
      { id: "text", type: "input/text" },
      { id: "code", type: "image/code", parameters: { symbology: "qr", size: 2_048 } },
      { id: "out", type: "output/image", parameters: { key: "out" } },
    ],
    ["logo.image > code.logo", "text.text > code.text", "code.image > out.image"],
  );
  const text = { value: JSON.stringify("https://example.com/tickets/42?gate=B") };
  return () => tenant.run(workflow, { logo: { asset_path }, text });
};

/** A file that a node fetches and stores in parts. */
const fetched: Kind = async (tenant) => {
  const workflow = await tenant.publish(
    "fetch",
    [
      { id: "url", type: "input/text" },
      { id: "media", type: "utility/media_from_url", parameters: { media_type: "document" } },
      { id: "out", type: "output/document", parameters: { key: "out" } },
    ],
    ["url.text > media.url", "media.media > out.document"],
  );
  return () => tenant.run(workflow, { url: { value: JSON.stringify(address) } });
};

const ROW = `1,${"a note that makes the row long enough ".repeat(200)}\n`;
/** A table that is read, and stored as rows. */
const table: Kind = async (tenant) => {
  const rows = once("table", () => Buffer.from(`a,b\n${ROW.repeat(2_000)}`));
  const asset_path = await tenant.upload("rows.csv", [rows]);
  const workflow = await tenant.publish(
    "table",
    [
      { id: "file", type: "input/data" },
      { id: "out", type: "output/json", parameters: { key: "out" } },
    ],
    ["file.row_count > out.json"],
  );
  return () => tenant.run(workflow, { file: { asset_path } });
};

/** A picture of a model, which arrives as base64 and is stored in parts. */
const painted: Kind = async (tenant) => {
  const size = { width: PAINTED_SIDE, height: PAINTED_SIDE };
  const workflow = await tenant.publish(
    "painted",
    [
      { id: "prompt", type: "input/text" },
      { id: "paint", type: "ai/text_to_image", parameters: { model: "painter", ...size } },
      { id: "out", type: "output/image", parameters: { key: "out" } },
    ],
    ["prompt.text > paint.prompt", "paint.result > out.image"],
  );
  return () => tenant.run(workflow, { prompt: { value: JSON.stringify("A kite.") } });
};

/** A small amount of work. */
const small: Kind = (tenant) =>
  converts(
    tenant,
    "small.webp",
    once("small", () => webpFile(noise(64, 64))),
    "png",
  );

/** Twenty tenants, this many of them with the largest work of these kinds, in turn. */
async function twenty(kinds: readonly Kind[], large: number): Promise<Act> {
  const acts: Act[] = [];
  for (let i = 0; i < TENANTS; i++) {
    const kind = i < large ? kinds[i % kinds.length]! : small;
    acts.push(await kind(await watched.newTenant()));
  }
  return () => Promise.all(acts.map((act) => act()));
}

/** By name: the kinds, the number of tenants with such work, and the points at which it is measured. */
const KINDS: readonly (readonly [string, readonly Kind[], number, readonly WatchPoint[]])[] = [
  ["drawings", [drawing], sizeOf("largestWork"), [SVG_DRAWN]],
  ["decoded pictures", [picture], 6, [WEBP_READ, JPEG_MADE]],
  ["codes with a logo", [code], 6, [WEBP_READ]],
  ["fetched files", [fetched], TENANTS, [FILE_PART]],
  ["tables", [table], 10, [ROW_CHUNK]],
  ["pictures of models", [painted], TENANTS, [FILE_PART]],
  [
    "work of every kind",
    [drawing, picture, code, fetched, table],
    TENANTS,
    [SVG_DRAWN, WEBP_READ, JPEG_MADE, FILE_PART, ROW_CHUNK],
  ],
];

test.each(KINDS)(
  "%s stay below 100 MB, and release all of it",
  { timeout: 900_000 },
  async (name, kinds, large, points) => {
    const act = await twenty(kinds, large);
    const runner = watched.watch("runner");
    const { most, at, held, samples, met } = await runner.during(act);
    process.stderr.write(
      `live bytes: twenty executors, ${name}: ${(most / MB).toFixed(1)} MB in all, ${at}, wasm ${(held.wasm / MB).toFixed(1)}, ${samples} samples\n`,
    );
    expect(most, `bytes in use, ${at}`).toBeLessThan(BYTES_MAX);
    // It was also measured during its work, not only between two turns.
    expect(points.filter((point) => !met.has(point.name))).toEqual([]);
    if (kinds.includes(drawing)) {
      expect(most).toBeGreaterThan(BYTES_MAX / 2);
    }
    await waitUntil("the last lease's end", async () => (await runner.takenBytes()) === 0, 300_000);
  },
);

test("work that asks for no memory is found", { timeout: 900_000 }, async () => {
  // The renderer of drawings is kept, beside parts of all files at once.
  const act = await twenty([fetched, fetched, fetched, fetched, drawing], TENANTS);
  const twice = () => Promise.all([act(), act()]);
  isFaulty = true;
  try {
    const { most } = await watched.watch("runner").duringFault(MEMORY_FAULTS.unasked, twice);
    expectFound("work that asks for nothing", most, BYTES_MAX);
  } finally {
    isFaulty = false;
  }
});

test("a lease that is not given back is found", { timeout: 300_000 }, async () => {
  const act = await small(await watched.newTenant());
  const runner = watched.watch("runner");
  await runner.duringFault(MEMORY_FAULTS.kept, act);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await runner.takenBytes()).toBeGreaterThan(0);
});
