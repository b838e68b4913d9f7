/**
 * The PNGs of PngSuite (test/golden/pngsuite, from github.com/lunapaint/pngsuite at 8cd768d, with its license): all kinds of the
 * format, which sharp judges, and damaged files. Files whose names begin with x are damaged.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { expect, it } from "vitest";
import { decodeImage } from "../../../../src/images/open-image.ts";
import { imageResize } from "../../../../src/nodes/image/resize.ts";
import { visiblePsnr } from "../../../support/images/judge-picture.ts";
import { decodeBySharp } from "../../../support/images/outside-readers.ts";
import { runPictureNode } from "../../../support/images/run-picture-node.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const FOLDER = fileURLToPath(new URL("../../../golden/pngsuite/", import.meta.url).href);
const files = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".png"))
  .map((name) => ({
    name,
    contentType: "image/png",
    bytes: new Uint8Array(readFileSync(`${FOLDER}${name}`)),
  }));
const isDamaged = ({ name }: (typeof files)[number]) => name.startsWith("x");

it("PngSuite is there, whole", () => {
  expect([files.length, files.filter(isDamaged).length]).toEqual([175, 14]);
});

it.each(files.filter((file) => !isDamaged(file)).map((file) => [file.name, file] as const))(
  "%s is read and scaled as sharp does it",
  async (_name, file) => {
    const theirs = await decodeBySharp(file.bytes);
    const ours = await decodeImage(file.bytes, imageCodecs);
    expect([ours.width, ours.height]).toEqual([theirs.width, theirs.height]);
    // With 16 bits, libvips rounds and this reader uses the upper 8; colors without opacity are not seen.
    const off = ours.rgba.filter(
      (value, at) => theirs.rgba[at | 3] !== 0 && Math.abs(value - theirs.rgba[at]!) > 1,
    );
    expect(off.length).toBe(0);
    const size = { width: Math.ceil(ours.width * 0.6), height: Math.ceil(ours.height * 0.6) };
    const scaled = await runPictureNode(imageResize, { ...size, fit: "stretch" }, { image: file });
    const expected = await sharp(file.bytes)
      .ensureAlpha()
      .resize({ ...size, kernel: "lanczos3", fit: "fill" })
      .png()
      .toBuffer();
    const nearness = visiblePsnr(await decodeBySharp(scaled.bytes), await decodeBySharp(expected));
    // libvips clips what overshoots at the edges between two or four colors.
    expect(nearness).toBeGreaterThan(/^(?:bas[in]0g01|s0\d)/.test(file.name) ? 33 : 38);
  },
);

it.each(files.filter(isDamaged).map((file) => [file.name, file] as const))(
  "%s, which is damaged, is IMAGE_UNREADABLE",
  async (_name, file) => {
    const scaling = runPictureNode(imageResize, { width: 20 }, { image: file });
    await expect(scaling).rejects.toMatchObject({ code: "IMAGE_UNREADABLE" });
  },
);
