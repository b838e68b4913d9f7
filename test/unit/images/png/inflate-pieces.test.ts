/** Decompression in pieces: the bytes, what is refused, and that nothing is taken ahead of its reader. */
import { randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { inflatePieces } from "../../../../src/images/png/read/inflate-pieces.ts";

async function inflated(pieces: readonly Uint8Array[]): Promise<Buffer> {
  const out: Uint8Array[] = [];
  for await (const piece of inflatePieces(pieces)) {
    out.push(piece);
  }
  return Buffer.concat(out);
}

function split(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}

const PLAIN = Buffer.concat([randomBytes(150_000), Buffer.alloc(700_000, "kite "), randomBytes(9)]);
const ZLIB = deflateSync(PLAIN);

test.each([1, 7, 65_535, 65_536, 65_537, 10_000_000])("pieces of %i bytes", async (size) => {
  const empty = new Uint8Array(0);
  const out = await inflated(split(ZLIB, size).flatMap((piece) => [empty, piece, empty]));
  expect(out.equals(PLAIN)).toBe(true);
});

const wrongSum = Buffer.from(ZLIB);
wrongSum[wrongSum.length - 1] = (wrongSum.at(-1) ?? 0) ^ 1;

test.each([
  ["no data", [], "unexpected end of file"],
  ["no zlib stream", [Buffer.from("<!DOCTYPE html>")], "incorrect header check"],
  ["data that ends early", [ZLIB.subarray(0, -5)], "unexpected end of file"],
  ["a wrong checksum", [wrongSum], "incorrect data check"],
  ["data behind the end", [ZLIB, Buffer.from("more")], "behind the end"],
])("refuses %s", async (_, pieces, message) => {
  await expect(inflated(pieces)).rejects.toThrow(message);
});

test("takes no more than a few blocks ahead of its reader, and nothing once the reader has stopped", async () => {
  // What does not compress goes in as fast as it comes out.
  const pieces = split(deflateSync(randomBytes(8_000_000)), 10_000);
  let taken = 0;
  const given = (function* () {
    for (const piece of pieces) {
      taken += piece.length;
      yield piece;
    }
  })();
  const turns = async () => {
    for (let turn = 0; turn < 200; turn += 1) {
      await new Promise(setImmediate);
    }
  };
  const reading = inflatePieces(given);
  let read = 0;
  for (let piece = 0; piece < 20; piece += 1) {
    read += ((await reading.next()).value as Uint8Array).length;
    await turns();
    expect(taken - read).toBeLessThan(8 * 65_536);
  }
  await reading.return(undefined);
  const atEnd = taken;
  await turns();
  expect(taken).toBe(atEnd);
});
