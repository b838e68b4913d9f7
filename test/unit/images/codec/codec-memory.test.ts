/** What is kept of codecs between two files. In a file of its own: the first codec of an isolate is a case apart. */
import { expect, it } from "vitest";
import type { RunningCodec } from "../../../../src/images/codec/wasm-codec.ts";
import { decodeImage } from "../../../../src/images/decode-image.ts";
import { encodeJpeg } from "../../../../src/images/jpeg/encode-jpeg.ts";
import { encodePng } from "../../../../src/images/png/encode-png.ts";
import { drawSvg } from "../../../../src/images/svg/draw-svg.ts";
import { liveBytes } from "../../../support/datasets/live-bytes.ts";
import { imageCodecs, svgRenderer } from "../../../support/images/wasm-modules.ts";

const MB = 1024 * 1024;

/** Looks at each memory that is made from now on. */
const memories: WeakRef<WebAssembly.Memory>[] = [];
const { Instance, instantiate } = WebAssembly;
const noted = (instance: WebAssembly.Instance): WebAssembly.Instance => {
  for (const value of Object.values(instance.exports)) {
    if (value instanceof WebAssembly.Memory) {
      memories.push(new WeakRef(value));
    }
  }
  return instance;
};
Object.assign(WebAssembly, {
  Instance: new Proxy(Instance, {
    construct: (target, given) => noted(Reflect.construct(target, given) as WebAssembly.Instance),
  }),
  instantiate: async (...given: Parameters<typeof instantiate>) =>
    noted((await instantiate(...given)) as unknown as WebAssembly.Instance),
});

/** Bytes of those that are still there. */
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

it("a large photograph leaves nothing behind, in the first codec of an isolate neither", async () => {
  await decodeImage(encodeJpeg(plain(4_000, 3_000), 80), imageCodecs);
  expect(memories).toHaveLength(1);
  expect(await keptBytes()).toBe(0);
});

it("codecs keep one instance together, of those that are small", async () => {
  const small = plain(200, 100);
  const instances = new Set<RunningCodec<unknown>>();
  for (let turn = 0; turn < 2; turn++) {
    await decodeImage(encodePng(small.rgba, 200, 100), imageCodecs);
    await decodeImage(encodeJpeg(small, 80), imageCodecs);
    await imageCodecs.jpeg.use((codec) => void instances.add(codec));
  }
  expect(instances.size).toBe(2);
  const kept = await keptBytes();
  // The references of this test are two.
  expect(kept).toBeGreaterThan(16 * MB);
  expect(kept).toBeLessThan(40 * MB);
});

it("a drawing with layers leaves nothing behind", async () => {
  const before = await keptBytes();
  const layers = '<g opacity="0.9"><rect width="90" height="90"/>';
  await drawSvg(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${layers.repeat(4)}<circle cx="50" cy="50" r="40"/>${"</g>".repeat(4)}</svg>`,
    2_048,
    svgRenderer,
  );
  expect(await keptBytes()).toBeLessThanOrEqual(before);
});
