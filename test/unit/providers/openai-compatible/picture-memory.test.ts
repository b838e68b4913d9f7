/**
 * A picture of 24 MiB as base64 in JSON is decoded as it arrives: what is live amid its arrival is below the picture, let
 * alone its base64.
 */
import { describe, expect, test } from "vitest";
import { openImageJson } from "../../../../src/providers/openai-compatible/image-json.ts";
import { readPicture } from "../../../../src/providers/picture-answer.ts";
import { liveBytes } from "../../../support/datasets/live-bytes.ts";
import { testInProof } from "../../../support/in-proof.ts";

const MB = 1024 * 1024;
const PICTURE_BYTES = 24 * MB;
/** As workerd hands on the body of a response. */
const PIECE_BYTES = 64 * 1024;

/** A PNG of 24 MiB, whose pixels nobody decodes, in pieces that are made when they are asked for. */
function* pngPieces(): Generator<Buffer> {
  const head = Buffer.alloc(8 + 25);
  head.write("\x89PNG\r\n\x1a\n", "latin1");
  head.writeUInt32BE(13, 8);
  head.write("IHDR", 12, "latin1");
  head.writeUInt32BE(2_900, 16);
  head.writeUInt32BE(2_900, 20);
  head.set([8, 2], 24);
  yield head;
  const length = PICTURE_BYTES - head.length - 24;
  const chunk = Buffer.alloc(8);
  chunk.writeUInt32BE(length);
  chunk.write("IDAT", 4, "latin1");
  yield chunk;
  for (let left = length + 4; left > 0; left -= PIECE_BYTES) {
    yield Buffer.alloc(Math.min(left, PIECE_BYTES), left % 251);
  }
  yield Buffer.from("\0\0\0\0IEND\xae\x42\x60\x82", "latin1");
}

/** The answer of a server, in pieces. */
async function* answer(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"created":1,"data":[{"b64_json":"');
  let rest = Buffer.alloc(0);
  for (const piece of pngPieces()) {
    const bytes = Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(whole);
    yield await Promise.resolve(Buffer.from(bytes.toString("base64", 0, whole)));
  }
  yield Buffer.from(`${rest.toString("base64")}"}],"usage":{}}`);
}

/** Reads a picture to its end; `onPiece` learns how many bytes have been read. */
async function read(onPiece: (bytes: number, piece: Uint8Array) => void): Promise<number> {
  const opened = await openImageJson(answer());
  if (opened.kind !== "bytes") {
    throw new Error("The answer has no base64.");
  }
  const { bytes } = await readPicture(opened.pieces);
  let length = 0;
  for await (const piece of bytes as AsyncIterable<Uint8Array>) {
    length += piece.length;
    onPiece(length, piece);
  }
  return length;
}

/** The most that is live while pictures arrive at the same time, measured each time that one has two more MiB. */
async function mostLive(
  count: number,
  onPiece: (piece: Uint8Array) => void = () => undefined,
): Promise<number> {
  await read(() => undefined);
  const before = liveBytes();
  let most = 0;
  const lengths = await Promise.all(
    Array.from({ length: count }, () => {
      let next = 2 * MB;
      return read((bytes, piece) => {
        onPiece(piece);
        if (bytes >= next) {
          next += 2 * MB;
          most = Math.max(most, liveBytes() - before);
        }
      });
    }),
  );
  expect(lengths).toEqual(Array.from({ length: count }, () => PICTURE_BYTES));
  return most;
}

describe("live bytes", () => {
  test("one picture of 24 MiB stays below 16 MB", async () => {
    expect(await mostLive(1)).toBeLessThan(16 * MB);
  });

  test("a reader that holds the pieces is detected", async () => {
    const held: Uint8Array[] = [];
    expect(await mostLive(1, (piece) => held.push(piece))).toBeGreaterThan(20 * MB);
  });

  testInProof("ten at once stay below 64 MB", async () => {
    expect(await mostLive(10)).toBeLessThan(64 * MB);
  });
});
