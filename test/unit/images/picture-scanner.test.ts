/** Complete pictures by other encoders, and every way in which one is cut short. */
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { PictureScanner } from "../../../src/images/picture-scanner.ts";

const SIZE = { width: 37, height: 23 };
const FILES: Record<string, { readonly contentType: string; readonly bytes: Uint8Array }> = {};

beforeAll(async () => {
  const noise = Buffer.alloc(SIZE.width * SIZE.height * 4);
  noise.forEach((_, at) => {
    noise[at] = (at * 7919 + ((at * at) % 251)) % 256;
  });
  const picture = () => sharp(noise, { raw: { ...SIZE, channels: 4 } });
  const opaque = () => picture().removeAlpha();
  const described = { IFD0: { Copyright: "x".repeat(3_000) } };
  const files: readonly (readonly [string, string, Promise<Buffer>])[] = [
    ["a PNG", "image/png", picture().png().toBuffer()],
    ["an interlaced PNG", "image/png", picture().png({ progressive: true }).toBuffer()],
    ["a PNG with a palette", "image/png", picture().png({ palette: true }).toBuffer()],
    ["a JPEG", "image/jpeg", opaque().jpeg().toBuffer()],
    ["a progressive JPEG", "image/jpeg", opaque().jpeg({ progressive: true }).toBuffer()],
    ["a JPEG with EXIF", "image/jpeg", opaque().withExif(described).jpeg().toBuffer()],
    ["a gray JPEG", "image/jpeg", opaque().grayscale().jpeg().toBuffer()],
    ["a WebP", "image/webp", opaque().webp().toBuffer()],
    ["a lossless WebP", "image/webp", picture().webp({ lossless: true }).toBuffer()],
    ["a WebP with transparency", "image/webp", picture().webp().toBuffer()],
    ["a WebP with EXIF", "image/webp", opaque().withExif(described).webp().toBuffer()],
  ];
  for (const [name, contentType, made] of files) {
    // oxlint-disable-next-line no-await-in-loop -- a few small pictures
    FILES[name] = { contentType, bytes: await made };
  }
});

const NAMES = [
  "a PNG",
  "an interlaced PNG",
  "a PNG with a palette",
  "a JPEG",
  "a progressive JPEG",
  "a JPEG with EXIF",
  "a gray JPEG",
  "a WebP",
  "a lossless WebP",
  "a WebP with transparency",
  "a WebP with EXIF",
];

function fileOf(name: string) {
  const file = FILES[name];
  if (file === undefined) {
    throw new Error(`There is no ${name}.`);
  }
  return file;
}

function scan(bytes: Uint8Array, pieceBytes: number) {
  const scanner = new PictureScanner();
  let used = 0;
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    used += scanner.add(bytes.subarray(at, at + pieceBytes));
  }
  return { state: scanner.state, picture: scanner.picture, used };
}

describe.each(NAMES)("%s", (name) => {
  test.each([1, 2, 7, 1_000_000])("is complete in pieces of %i bytes", (pieceBytes) => {
    const { bytes, contentType } = fileOf(name);
    expect(scan(bytes, pieceBytes)).toEqual({
      state: "complete",
      picture: { contentType, ...SIZE },
      used: bytes.length,
    });
  });

  test("ends where it ends", () => {
    const { bytes } = fileOf(name);
    const longer = Buffer.concat([bytes, Buffer.from("<script>")]);
    expect(scan(longer, 11).used).toBe(bytes.length);
  });

  test("is never complete without its last bytes", () => {
    const { bytes } = fileOf(name);
    for (let length = 0; length < bytes.length; length += length < bytes.length - 40 ? 17 : 1) {
      // The byte that pads a chunk of a WebP to an even length does not belong to the picture.
      const isPadding = name.includes("WebP") && length === bytes.length - 1 && bytes.at(-1) === 0;
      if (!isPadding) {
        expect(scan(bytes.subarray(0, length), 64).state, `${length} bytes`).toBe("reading");
      }
    }
  });
});

test("stuffed bytes, restarts and fill bytes of a scan do not end a JPEG, wherever a piece ends", () => {
  const head = "ffd8 ffc0 000b 08 0017 0025 01 011100 ffda 0008 01 0100 003f00";
  const data = "12 ff00 ffd0 34 ff00ff00 ffffd7 ff ff 00 56 ffd7";
  const jpeg = Buffer.from(`${head} ${data} ffff d9`.replaceAll(" ", ""), "hex");
  const bytes = Buffer.concat([jpeg, Buffer.from("<script>")]);
  for (let pieceBytes = 1; pieceBytes <= bytes.length; pieceBytes += 1) {
    expect(scan(bytes, pieceBytes)).toEqual({
      state: "complete",
      picture: { contentType: "image/jpeg", width: 37, height: 23 },
      used: jpeg.length,
    });
  }
});

describe("no picture", () => {
  const ascii = (text: string) => Buffer.from(text, "latin1");
  test.each([
    ["an HTML page", ascii("<!DOCTYPE html><html></html>")],
    ["JSON", ascii('{"error":"none"}')],
    ["a GIF", ascii("GIF89a\x01\x00\x01\x00\x00\x00\x00;")],
    ["a WAV", ascii("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00")],
    ["a PNG's first bytes and a page", ascii("\x89PNG\r\n\x1a\n<!DOCTYPE html><html></html>")],
    ["a JPEG's first bytes and a page", ascii("\xff\xd8<!DOCTYPE html>")],
    ["a JPEG without a frame", ascii("\xff\xd8\xff\xd9")],
    ["zeros", new Uint8Array(100)],
  ])("%s", (_, bytes) => {
    const { state, picture } = scan(bytes, 5);
    expect([state, picture]).toEqual(["no_picture", undefined]);
  });

  test("a PNG without pixels", () => {
    const { bytes } = fileOf("a PNG");
    const withoutPixels = Buffer.concat([bytes.subarray(0, 33), bytes.subarray(-12)]);
    expect(scan(withoutPixels, 9).state).toBe("no_picture");
  });

  test("a WebP whose chunk is longer than the file", () => {
    const bytes = Buffer.from(fileOf("a WebP").bytes);
    bytes.writeUInt32LE(2 ** 31, 16);
    expect(scan(bytes, 9).state).toBe("no_picture");
  });
});
