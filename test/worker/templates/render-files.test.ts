/** Files of renders that are larger than a piece of their stream, and pictures that are read again when they are written. */
import { createHash } from "node:crypto";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { pngOf } from "../../support/pdf/png-of.ts";
import { templateRequest } from "../../support/render/template-request.ts";
import { guid } from "../../support/templates/template-api.ts";

const PICTURES = 5;
const [WIDTH, HEIGHT] = [2_048, 2_000];
const WORKSPACE = "ws_00000000000000000000000000000001";

/** A PNG of 4 MB: its rows are stored without compression. */
function largePng(shade: number): Uint8Array {
  const rows = new Uint8Array((WIDTH + 1) * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    rows.fill(shade + (y % 7), y * (WIDTH + 1) + 1, (y + 1) * (WIDTH + 1));
  }
  return pngOf({ width: WIDTH, height: HEIGHT, depth: 8, color: 0 }, stored(rows));
}

/** zlib without compression (RFC 1950, RFC 1951 §3.2.4). */
function stored(bytes: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [Uint8Array.from([0x78, 0x01])];
  let [a, b] = [1, 0];
  for (let at = 0; at < bytes.length; at += 65_535) {
    const piece = bytes.subarray(at, at + 65_535);
    const isLast = at + 65_535 >= bytes.length ? 1 : 0;
    const { length } = piece;
    pieces.push(
      Uint8Array.from([isLast, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255]),
      piece,
    );
  }
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return Buffer.concat([...pieces, Uint8Array.from([b >> 8, b & 255, a >> 8, a & 255])]);
}

const page = (number: number, src: string) => ({
  id: guid(number * 16),
  width: 200,
  height: 200,
  elements: [{ $type: "image", id: guid(number * 16 + 1), width: 200, height: 200, src }],
});

async function store(name: string, bytes: Uint8Array): Promise<string> {
  const key = `${WORKSPACE}/runs/run_00000000000000000000000000000001/${"a".repeat(43)}/${name}`;
  await env.FILES.put(key, bytes, { httpMetadata: { contentType: "image/png" } });
  return `storage://${key}`;
}

it("more pictures than are kept are in the file, whole, and a file that is too long to hold is refused", async () => {
  const sources: string[] = [];
  for (let i = 0; i < PICTURES; i++) {
    sources.push(await store(`${i}.png`, largePng(i * 40)));
  }
  const render = async (selection: string) => {
    const document = { schemaVersion: "2.0", pages: sources.map((src, i) => page(i + 1, src)) };
    const request = await templateRequest(
      document as JsonValue,
      {},
      {
        options: { page_selection: selection },
      },
    );
    return await env.RENDERER.render(request);
  };
  const made = await render("1-3");
  if (!made.ok) {
    throw new Error(made.message);
  }
  expect(made.report.images).toEqual([]);
  expect(made.report.images_loaded).toBe(PICTURES);
  const bytes = await new Response(made.body).bytes();
  expect(bytes.byteLength).toBe(made.pdf?.size_bytes);
  expect(bytes.byteLength).toBeGreaterThan(12_000_000);
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(made.pdf?.sha256);
  expect(await render("all")).toMatchObject({ ok: false, code: "too_large" });
});
