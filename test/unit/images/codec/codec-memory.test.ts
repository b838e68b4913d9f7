/**
 * Memory that codecs keep between two files. In a separate file, because the first codec of an
 * isolate is a special case.
 */
import { expect, it } from "vitest";
import { decodeImage } from "../../../../src/images/open-image.ts";
import { encodeJpeg } from "../../../support/images/encode-jpeg.ts";
import { encodePng } from "../../../support/images/encode-png.ts";
import { drawSvg } from "../../../../src/images/svg/draw-svg.ts";
import { liveBytes } from "../../../support/datasets/live-bytes.ts";
import { avifFile, webpFile } from "../../../support/images/sample-files.ts";
import { webpOf } from "../../../support/images/webp-of.ts";
import { imageCodecs, svgRenderer } from "../../../support/images/wasm-modules.ts";

/** Tracks each memory that is created from now on. */
const memories: WeakRef<WebAssembly.Memory>[] = [];
const { Instance, instantiate, Memory } = WebAssembly;
const noted = (instance: WebAssembly.Instance): WebAssembly.Instance => {
  for (const value of Object.values(instance.exports)) {
    if (value instanceof Memory) {
      memories.push(new WeakRef(value));
    }
  }
  return instance;
};
Object.assign(WebAssembly, {
  Memory: new Proxy(Memory, {
    construct: (target, given) => {
      const memory = Reflect.construct(target, given) as WebAssembly.Memory;
      memories.push(new WeakRef(memory));
      return memory;
    },
  }),
  Instance: new Proxy(Instance, {
    construct: (target, given) => noted(Reflect.construct(target, given) as WebAssembly.Instance),
  }),
  instantiate: async (...given: Parameters<typeof instantiate>) =>
    noted((await instantiate(...given)) as unknown as WebAssembly.Instance),
});

// The encoders of the samples have defined one; in a Worker there is none before the first codec.
delete (globalThis as { ImageData?: unknown }).ImageData;

/** Total bytes of those that still exist. */
async function keptBytes(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  liveBytes();
  return memories.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0), 0);
}

const plain = (width: number, height: number) => ({
  rgba: new Uint8ClampedArray(width * height * 4).fill(255),
  width,
  height,
});

it.each([
  ["an AVIF", avifFile(plain(1_000, 800))],
  ["a WebP", webpFile(plain(3_000, 2_000))],
])("%s leaves nothing of its decoder behind", async (_name, bytes) => {
  const before = memories.length;
  await decodeImage(bytes, imageCodecs);
  expect(memories).toHaveLength(before + 1);
  expect(await keptBytes()).toBe(0);
});

it("the WebP encoder leaves nothing behind", async () => {
  const before = memories.length;
  await webpOf(plain(1_500, 1_000), 80);
  expect(memories).toHaveLength(before + 1);
  expect(await keptBytes()).toBe(0);
});

it("photographs and PNGs leave nothing behind", async () => {
  const { rgba, width, height } = plain(800, 600);
  const files = [encodeJpeg({ rgba, width, height }, 80), encodePng(rgba, width, height)];
  const before = memories.length;
  for (const file of files) {
    // oxlint-disable-next-line no-await-in-loop -- file after file
    await decodeImage(file, imageCodecs);
  }
  expect(memories.length).toBeGreaterThan(before);
  expect(await keptBytes()).toBe(0);
});

it("a drawing with layers leaves nothing behind after its pixels are released", async () => {
  const before = await keptBytes();
  const layers = '<g opacity="0.9"><rect width="90" height="90"/>';
  const draw = async (): Promise<number> => {
    const { rgba } = await drawSvg(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${layers.repeat(2)}<circle cx="50" cy="50" r="40"/>${"</g>".repeat(2)}</svg>`,
      2_048,
      svgRenderer,
    );
    return rgba.length;
  };
  expect(await draw()).toBe(2_048 * 2_048 * 4);
  expect(await keptBytes()).toBeLessThanOrEqual(before);
});
