/**
 * What the picture nodes hold for pictures of 12 megapixels while they work, the file included: the memory of their codecs and all
 * buffers. No picture is held whole.
 */
// A process of its own, as for every test that measures memory.
import "../../../support/datasets/live-bytes.ts";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { decodeImage } from "../../../../src/images/open-image.ts";
import { NodeInputs, type RunValue } from "../../../../src/nodes/define-ports.ts";
import { imageCompose } from "../../../../src/nodes/image/compose.ts";
import { imageConvert } from "../../../../src/nodes/image/convert.ts";
import { imageResize } from "../../../../src/nodes/image/resize.ts";
import { mostHeld, watchCodecs } from "../../../support/images/counted-memory.ts";
import { testInProof } from "../../../support/in-proof.ts";
import { taskContext } from "../../../support/images/task-context.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const MB = 1024 * 1024;
const PHOTO = { width: 4_000, height: 3_000 };

watchCodecs();

const TYPES = { jpg: "image/jpeg", png: "image/png", webp: "image/webp" } as const;

/** A photograph-like picture with grain. */
function photograph() {
  const { width, height } = PHOTO;
  const raw = new Uint8Array(width * height * 3);
  let state = 1;
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      const grain = state >>> 30;
      raw[at++] = ((x * 200) / width + grain) | 0;
      raw[at++] = ((y * 200) / height + grain) | 0;
      raw[at++] = (100 + 80 * Math.sin(x / 90) + grain) | 0;
    }
  }
  return sharp(raw, { raw: { width, height, channels: 3 } });
}

const files = new Map<Format, Promise<Buffer>>();

/** The picture as a file, which is made when a test asks for it first. */
function pictureFile(format: Format): Promise<Buffer> {
  const known = files.get(format);
  if (known !== undefined) {
    return known;
  }
  const picture = photograph();
  const made = {
    jpg: () => picture.jpeg({ quality: 85 }).toBuffer(),
    png: () => picture.png({ compressionLevel: 4 }).toBuffer(),
    webp: () => picture.webp({ quality: 80 }).toBuffer(),
  }[format]();
  files.set(format, made);
  return made;
}

type Format = keyof typeof TYPES;
type Runnable = Pick<typeof imageResize, "params" | "run">;

/** The most that a node holds while it makes a picture of these files. What it writes is dropped piece by piece. */
async function heldBy(
  node: unknown,
  parameters: object,
  ports: Readonly<Record<string, Format | readonly Format[]>>,
): Promise<number> {
  const { params, run } = node as Runnable;
  for (const format of Object.values(ports).flat()) {
    // oxlint-disable-next-line no-await-in-loop -- before anything is measured
    await pictureFile(format);
  }
  const { context, files: stored } = taskContext();
  // A copy that is made when it is asked for, as a store does.
  const fileOf = (format: Format) => stored.add(format, TYPES[format], Buffer.alloc(1));
  const inputs = new Map<string, RunValue | readonly RunValue[]>(
    Object.entries(ports).map(([port, given]) => [
      port,
      typeof given === "string" ? fileOf(given) : given.map(fileOf),
    ]),
  );
  let written = 0;
  const most = await mostHeld((measure) =>
    Promise.resolve(
      run(
        {
          ...context,
          files: {
            ...context.files,
            read: async (file) => Uint8Array.from(await pictureFile(file.name as Format)),
            async write(name, contentType, bytes) {
              let pieces = 0;
              for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
                written += piece.length;
                if (pieces++ % 16 === 0) {
                  measure();
                }
              }
              return stored.add(name, contentType, new Uint8Array(1));
            },
          },
        },
        new NodeInputs(inputs),
        params.parse(parameters) as never,
      ),
    ),
  );
  expect(written).toBeGreaterThan(5_000);
  process.stderr.write(
    `picture memory: ${JSON.stringify([parameters, ports])}: ${(most / MB).toFixed(1)} MB\n`,
  );
  return most;
}

describe("of 12 megapixels", () => {
  test("a jpg is resized to 1,024 px with less than 32 MB", { timeout: 120_000 }, async () => {
    expect(await heldBy(imageResize, { width: 1_024 }, { image: "jpg" })).toBeLessThan(32 * MB);
  });

  for (const format of ["png", "webp"] as const) {
    testInProof(`a ${format} is resized to 1,024 px with less than 32 MB`, async () => {
      expect(await heldBy(imageResize, { width: 1_024 }, { image: format })).toBeLessThan(32 * MB);
    });
  }

  for (const [format, to] of [
    ["jpg", "png"],
    ["png", "jpg"],
    ["webp", "jpg"],
  ] as const) {
    testInProof(`a ${format} becomes a ${to} with less than 32 MB`, async () => {
      expect(await heldBy(imageConvert, { format: to }, { image: format })).toBeLessThan(32 * MB);
    });
  }

  testInProof("layers are laid over a picture with less than 64 MB", async () => {
    const placements = [{ x: 10, y: 10, width: 900 }];
    const ports = { base: "jpg", layers: ["jpg"] } as const;
    expect(await heldBy(imageCompose, { placements }, ports)).toBeLessThan(64 * MB);
  });

  test("a picture that is held whole is seen", { timeout: 120_000 }, async () => {
    const file = await pictureFile("jpg");
    const most = await mostHeld(async (measure) => {
      const raster = await decodeImage(file, imageCodecs);
      measure();
      expect(raster.rgba.length).toBe(PHOTO.width * PHOTO.height * 4);
    });
    expect(most).toBeGreaterThan(45 * MB);
  });
});
