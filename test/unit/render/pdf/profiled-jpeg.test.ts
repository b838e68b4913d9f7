/** JPEGs with a color profile in a PDF: readers of PDFs show the colors that libvips has, and a profile is written once. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { joinPieces } from "../../../../src/images/byte-writer.ts";
import { readJpegStructure } from "../../../../src/images/header/read-jpeg-header.ts";
import type { PdfOptions } from "../../../../src/render/pdf/pdf-resources.ts";
import { preparePicture } from "../../../../src/render/pdf/pictures/prepare-picture.ts";
import { writePdf } from "../../../../src/render/pdf/write-pdf.ts";
import { colorful, distance, SIDE } from "../../../support/images/colorful.ts";
import { decodeBySharp } from "../../../support/images/outside-readers.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";
import { pressProfile, x4Options } from "../../../support/pdf/every-kind.ts";
import { HAS_POPPLER, popplerPage } from "../../../support/pdf/judges/pdf-tools.ts";
import { joined, NO_RESOURCES, pageOf, PLAIN_OPTIONS } from "../../../support/pdf/plain-options.ts";
import { checkX4 } from "../../../support/pdf/x4/check-x4.ts";

const folder = mkdtempSync(join(tmpdir(), "profiled-jpeg-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const jpeg = (profile: "p3" | "srgb", quality = 95) =>
  colorful().withIccProfile(profile).jpeg({ quality, chromaSubsampling: "4:4:4" }).toBuffer();
const p3 = await jpeg("p3");

/** A page for each picture, which fills it. */
function printed(files: readonly Uint8Array[], options: PdfOptions = PLAIN_OPTIONS) {
  const pages = files.map((_, i) => {
    const matrix = [SIDE, 0, 0, SIDE, 0, 0] as const;
    const items = [{ kind: "picture", picture: String(i), matrix } as const];
    return pageOf(items, { width: SIDE, height: SIDE, pageId: `p${i}`, pageNumber: i + 1 });
  });
  const picture = async (key: string) => {
    const prepared = await preparePicture(files[Number(key)]!, imageCodecs, { allowsCmyk: true });
    if (typeof prepared === "string") {
      throw new Error(prepared);
    }
    return prepared;
  };
  return joined(writePdf(pages, { ...NO_RESOURCES, picture }, options));
}

/** The profiles of the file's pictures, as its text has them. */
function spacesOf(pdf: Uint8Array): readonly (string | undefined)[] {
  const text = Buffer.from(pdf).toString("latin1");
  return [
    ...text.matchAll(/\/Subtype \/Image[^>]*?\/ColorSpace (\/\w+|\[ \/ICCBased (\d+) 0 R \])/g),
  ].map(([, space, ref]) => ref ?? space);
}

describe("a JPEG of Display P3", () => {
  it("has its profile as its color space, once for all pictures that have the same", async () => {
    const pdf = await printed([p3, await jpeg("p3", 50), await jpeg("srgb")]);
    const [first, second, third] = spacesOf(pdf);
    expect([second, third]).toEqual([first, "/DeviceRGB"]);
    const text = Buffer.from(pdf).toString("latin1");
    expect(text.match(/\/N 3/g)).toHaveLength(1);
    const object = text.indexOf(`\n${first} 0 obj`);
    expect(object).toBeGreaterThan(0);
    const begin = text.indexOf("stream\n", object) + "stream\n".length;
    const profile = inflateSync(Buffer.from(pdf).subarray(begin));
    expect(profile.equals(joinPieces(readJpegStructure(p3).profile?.pieces ?? []))).toBe(true);
  });

  it.each(["CMYK", "RGB ", "GRAY"] as const)("may be in a PDF/X-4 file for %s", async (space) => {
    const pdf = await printed([p3], x4Options(pressProfile(space)));
    expect(spacesOf(pdf)[0]).toMatch(/^\d+$/);
    expect(await checkX4(pdf)).toEqual([]);
  });

  // Debian's mupdf has no color management.
  it.skipIf(!HAS_POPPLER)("has the colors of libvips in poppler", async () => {
    const expected = await decodeBySharp(p3);
    const drawn = async (file: Uint8Array) => {
      const path = join(folder, "page.pdf");
      writeFileSync(path, await printed([file]));
      return distance(popplerPage(path, 1, { width: SIDE, height: SIDE }, folder), expected).mean;
    };
    const without = Buffer.from(p3);
    without.write("OTHER", without.indexOf("ICC_PROFILE"));
    // 2.1 and 8.8 of 255.
    expect(await drawn(p3)).toBeLessThan(4);
    expect(await drawn(without)).toBeGreaterThan(6);
  });
});
