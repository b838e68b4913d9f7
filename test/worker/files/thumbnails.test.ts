/** Thumbnails of outputs and assets (docs/contract/results.md#thumbnails). `E/image-nodes` shows those of real runs. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { readImageHeader } from "../../../src/images/header/read-image-header.ts";
import pixels from "../../../src/images/pixels/pixels.wasm";
import { encodePng } from "../../../src/images/png/png-encoder.ts";
import { WORK_BYTES_MAX } from "../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../src/lib/memory/memory-gate.ts";
import type { RunnerEnv } from "../../../src/platform/env.ts";
import { fileUrl, thumbnailKey } from "../../../src/platform/file-url.ts";
import { newId } from "../../../src/platform/ids.ts";
import { Thumbnails } from "../../../src/workers/runner/thumbnails.ts";
import { call } from "../../support/api-caller.ts";

const prefix = `${newId("workspace", 0)}/runs/${newId("run", 0)}/${"t".repeat(43)}`;

async function store(name: string, contentType: string, body: Uint8Array | string) {
  const key = `${prefix}/${name}`;
  await env.FILES.put(key, body, { httpMetadata: { contentType } });
  return { key, path: `${fileUrl("", key)}?size=thumbnail` };
}

/** A PNG that does not compress, so that it is larger than what is its own thumbnail. */
function noise(width: number, height: number): Uint8Array {
  const rgba = new Uint8ClampedArray(width * height * 4);
  let state = 1;
  for (let at = 0; at < rgba.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    rgba[at] = at % 4 === 3 ? 255 : state >>> 24;
  }
  return encodePng(pixels, rgba, width, height);
}

async function read(path: string) {
  const response = await call("GET", path);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
  const { width, height } = readImageHeader(response.bytes);
  return { width, height, response };
}

describe("a thumbnail", () => {
  it("has at most 512 px on its longest side, in proportion, and is made once", async () => {
    const { key, path } = await store("wide.png", "image/png", noise(600, 150));
    const { width, height, response } = await read(path);
    expect([width, height]).toEqual([512, 128]);
    expect(response.headers.get("content-disposition")).toBe(`inline; filename="wide.png"`);
    const made = await env.FILES.head(thumbnailKey(key));
    const again = await read(path);
    expect(again.response.headers.get("etag")).toBe(made?.httpEtag);
    expect((await env.FILES.head(thumbnailKey(key)))?.uploaded).toEqual(made?.uploaded);
    const known = await call("GET", path, {
      headers: { "if-none-match": made?.httpEtag ?? "" },
    });
    expect([known.status, known.text]).toEqual([304, ""]);
  });

  it("is never enlarged", async () => {
    const { path } = await store("small.png", "image/png", noise(300, 200));
    const { width, height } = await read(path);
    expect([width, height]).toEqual([300, 200]);
  });

  it("is the file itself where that is small, and nothing is stored", async () => {
    const bytes = encodePng(pixels, new Uint8ClampedArray(40 * 30 * 4).fill(200), 40, 30);
    const { key, path } = await store("own.png", "image/png", bytes);
    const { response } = await read(path);
    expect(response.bytes).toEqual(bytes);
    expect(await env.FILES.head(thumbnailKey(key))).toBeNull();
  });

  it("of a drawing is a PNG", async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10"><rect width="40" height="10"/></svg>';
    const { path } = await store("logo.svg", "image/svg+xml", svg);
    const { width, height, response } = await read(path);
    expect([width, height]).toEqual([512, 128]);
    expect(response.headers.get("content-disposition")).toBe(`inline; filename="logo.png"`);
  });

  it.each([
    ["a file that cannot be read", "broken.png", "image/png", "not a picture"],
    ["a drawing that cannot be drawn", "broken.svg", "image/svg+xml", "<svg"],
    ["a text", "a.txt", "text/plain", "text"],
  ])("does not exist for %s", async (_name, name, type, body) => {
    const { key, path } = await store(name, type, body);
    const response = await call("GET", path);
    expect([response.status, response.json.code]).toEqual([404, "not_found"]);
    expect(await env.FILES.head(thumbnailKey(key))).toBeNull();
  });

  it("does not exist for a file that is not stored, nor for anything that is not an output", async () => {
    for (const key of [`${prefix}/gone.png`, "x", `${prefix.slice(0, 35)}/secret/a.png`]) {
      const response = await call("GET", `${fileUrl("", key)}?size=thumbnail`);
      expect([response.status, response.json.code], key).toEqual([404, "not_found"]);
    }
    const { key, path } = await store("kept.png", "image/png", noise(520, 10));
    await read(path);
    const direct = await call("GET", fileUrl("", thumbnailKey(key)));
    expect(direct.status, "the thumbnail's own key").toBe(404);
    expect((await call("GET", path.replace("thumbnail", "large"))).json.code).toBe(
      "validation_error",
    );
  });

  it("is a 503 if there is no memory for it in ten seconds, and is made by a later request", async () => {
    const { key, path } = await store("waiting.png", "image/png", noise(530, 10));
    const bindings = Object.fromEntries(
      "RUN EXECUTOR RENDERER_EXECUTOR MEDIA_EXECUTOR SOUND_DECODER WEBHOOK_ENDPOINT WEBHOOK_SENDER ZIP_EXPORT ZIP_BUILDER PROVIDER_GATE CACHE ORGANIZATION_MOVE BATCH_EXPORT"
        .split(" ")
        .map((name) => [name, {}]),
    );
    // The runner's code in this isolate, whose memory is taken.
    const vars = { ...bindings, ...env } as unknown as RunnerEnv;
    const runner = new Thumbnails(createExecutionContext(), vars);
    const waits: number[] = [];
    const others = new MemoryGate().takeAnyway(WORK_BYTES_MAX);
    const wait = vi.spyOn(MemoryGate.prototype, "takeWithin").mockImplementation((_bytes, ms) => {
      waits.push(ms);
      return Promise.resolve(undefined);
    });
    try {
      const own = {
        make: (request: { v: 1; workspace_id: string; key: string }) => runner.make(request),
      };
      const response = await call("GET", path, { env: { THUMBNAILS: own } });
      expect([response.status, response.json.code]).toEqual([503, "service_unavailable"]);
      expect(waits).toEqual([10_000]);
      expect(await env.FILES.head(thumbnailKey(key))).toBeNull();
    } finally {
      wait.mockRestore();
      others.release();
    }
    await read(path);
  });

  it("is a 503 while the runner does not respond", async () => {
    const { path } = await store("later.png", "image/png", noise(530, 10));
    const down = { make: () => Promise.reject(new Error("down")) };
    const response = await call("GET", path, { env: { THUMBNAILS: down } });
    expect([response.status, response.json.code]).toEqual([503, "service_unavailable"]);
    expect(response.headers.get("retry-after")).toBe("5");
    await read(path);
  });
});
