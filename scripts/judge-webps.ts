/**
 * Compares the pixels of every WebP of a folder with those of sharp (libvips with its own libwebp), and the MD5 of each as a
 * PAM file with the list of libwebp's own test vectors, if `libwebp_tests.md5` is in the folder:
 *
 *   node scripts/judge-webps.ts <folder>
 *
 * Prints each file that differs, and ends with 1 if there is one.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { CONVERSION_BYTES_MAX } from "../src/images/conversion-bytes.ts";
import { readImageHeader } from "../src/images/header/read-image-header.ts";
import { openImage } from "../src/images/open-image.ts";
import { type Raster, readRaster } from "../src/images/raster/raster.ts";
import { NodeError } from "../src/lib/errors/node-error.ts";
import { imageCodecs } from "../test/support/images/wasm-modules.ts";

const folder = process.argv[2] ?? "";
const list = join(folder, "libwebp_tests.md5");
const stated = new Map(
  (existsSync(list) ? readFileSync(list, "utf8") : "")
    .split("\n")
    .map((line) => line.trim().split(/\s+\*?/))
    .map(([hash = "", name = ""]) => [name, hash] as const),
);

function pamHash({ rgba, width, height }: Raster): string {
  const header = `P7\nWIDTH ${width}\nHEIGHT ${height}\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n`;
  return createHash("md5").update(header).update(rgba).digest("hex");
}

/** How a file differs; undefined if all agree. */
async function judge(name: string): Promise<string | undefined> {
  const bytes = readFileSync(join(folder, name));
  let ours: Raster;
  let isOpaque = false;
  try {
    const picture = await openImage(
      bytes,
      readImageHeader(bytes),
      imageCodecs,
      CONVERSION_BYTES_MAX,
    );
    isOpaque = picture.isOpaque;
    ours = await readRaster(picture);
  } catch (error) {
    return error instanceof NodeError ? `refused: ${error.message}` : String(error);
  }
  const hash = stated.get(`${name}.pam`) ?? stated.get(name.replace(/webp$/, "pam"));
  // The list has the fourth channel of files whose header states that they have no transparency, too.
  if (!isOpaque && hash !== undefined && hash !== pamHash(ours)) {
    return "other pixels than the list's";
  }
  const theirs = await sharp(bytes).ensureAlpha().raw().toBuffer();
  return Buffer.from(ours.rgba.buffer).equals(theirs) ? undefined : "other pixels than sharp's";
}

const names = readdirSync(folder).filter((name) => name.endsWith(".webp"));
let agreeing = 0;
for (const name of names) {
  // oxlint-disable-next-line no-await-in-loop -- file after file
  const difference = await judge(name);
  agreeing += difference === undefined ? 1 : 0;
  if (difference !== undefined) {
    console.log(`${name}: ${difference}`);
  }
}
console.log(`${agreeing} of ${names.length} files agree`);
process.exitCode = agreeing === names.length ? 0 : 1;
