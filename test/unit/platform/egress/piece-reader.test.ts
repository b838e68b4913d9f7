import { describe, expect, test } from "vitest";
import { PieceReader } from "../../../../src/platform/egress/piece-reader.ts";

/** A body of bytes that arrive in pieces of these sizes. */
function bodyOf(sizes: readonly number[], type: "bytes" | undefined): ReadableStream<Uint8Array> {
  const left = [...sizes];
  let next = 0;
  const source = {
    pull(controller: { enqueue(piece: Uint8Array): void; close(): void }) {
      const size = left.shift();
      if (size === undefined) {
        controller.close();
        (
          controller as { byobRequest?: { respond(bytes: number): void } | null }
        ).byobRequest?.respond(0);
        return;
      }
      controller.enqueue(Uint8Array.from({ length: size }, () => (next += 1) % 251));
    },
  };
  // The types of a byte source and of a plain one differ by their controller only.
  return new ReadableStream(
    (type === undefined ? source : { ...source, type }) as UnderlyingSource<Uint8Array>,
    ...(type === undefined ? [{ highWaterMark: 0 }] : []),
  );
}

async function piecesOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const reader = new PieceReader(body);
  const pieces: Uint8Array[] = [];
  for (let piece = await reader.read(); piece !== undefined; piece = await reader.read()) {
    pieces.push(piece);
  }
  return pieces;
}

describe.each(["bytes", undefined] as const)("a body of the type %s", (type) => {
  test.each([[[]], [[1, 2, 3]], [[4_096, 1, 16_384, 16_384, 5]], [[100_000, 7, 300_000, 65_536]]])(
    "arrives whole in pieces of %j",
    async (sizes) => {
      const pieces = await piecesOf(bodyOf(sizes, type));
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const wanted = Uint8Array.from({ length: total }, (_, at) => (at + 1) % 251);
      // Compared once all have been read: no piece is overwritten by a later one.
      expect(Buffer.concat(pieces).equals(wanted)).toBe(true);
      // None holds more memory than its bytes.
      expect(
        pieces.every((piece) => type === undefined || piece.buffer.byteLength === piece.length),
      ).toBe(true);
    },
  );
});

test("a long body has few pieces, and a trickling one a piece for each arrival", async () => {
  const long = await piecesOf(bodyOf([1_000_000], "bytes"));
  expect(long.length).toBeLessThan(25);
  expect(Math.max(...long.map(({ length }) => length))).toBe(64 * 1_024);
  expect((await piecesOf(bodyOf([40, 40, 40], "bytes"))).map(({ length }) => length)).toEqual([
    40, 40, 40,
  ]);
});

test("borrowed pieces are the body's bytes, in buffers that the next read takes back", async () => {
  const sizes = [4_096, 16_384, 5, 65_536, 65_536, 9, 65_536];
  const reader = new PieceReader(bodyOf(sizes, "bytes"));
  const copies: Uint8Array[] = [];
  const lengths: number[] = [];
  let [last, takenBack]: [Uint8Array | undefined, number] = [undefined, 0];
  for (let piece = await reader.read(true); piece !== undefined; piece = await reader.read(true)) {
    copies.push(piece.slice());
    takenBack += last?.length === 0 ? 1 : 0;
    lengths.push(piece.length);
    last = piece;
  }
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const wanted = Uint8Array.from({ length: total }, (_, at) => (at + 1) % 251);
  expect(Buffer.concat(copies).equals(wanted)).toBe(true);
  // A buffer of 4 KiB and one of 16 KiB are given up for larger ones.
  expect(lengths).toEqual(sizes);
  expect(takenBack).toBe(sizes.length - 1 - 2);
});

test("pieces of both kinds of one body do not overwrite those that belong to the caller", async () => {
  const reader = new PieceReader(bodyOf([4_096, 100, 200, 300], "bytes"));
  const own = [await reader.read(), await reader.read()];
  await reader.read(true);
  await reader.read(true);
  expect(own.map((piece) => piece?.length)).toEqual([4_096, 100]);
  expect(own.map((piece) => piece?.[0])).toEqual([1, (4_096 + 1) % 251]);
});
