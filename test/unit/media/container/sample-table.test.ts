/** Sample tables that are longer than the pieces in which they are read. */
import { beforeAll, describe, expect, test } from "vitest";
import type { ByteSource } from "../../../../src/lib/files/byte-source.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import type { MediaPacket, PacketHead } from "../../../../src/media/container/media-track.ts";
import { copiedTrack } from "../../../../src/media/container/movie-writer.ts";
import { openMedia, requireVideoTrack } from "../../../../src/media/container/open-media.ts";
import { editedBox, table } from "../../../support/media/box-file.ts";
import { openBytes, writtenMovie } from "../../../support/media/copied-movie.ts";
import { mediaFixture } from "../../../support/media/read-codecs.ts";

const STBL = "moov/trak/mdia/minf/stbl/";
const PICTURES = 50_000;
const KEY_EVERY = 37;
const BLOCK_BYTES = 1024 * 1024;
const PIECE_BYTES = 48 * 1024;
const BYTES = new Uint8Array(70_000);

/** Pictures of other sizes, durations and offsets from one to the next, some with sizes of three bytes. */
function* pictures(): Generator<MediaPacket> {
  let dts = 0;
  for (let i = 0; i < PICTURES; i++) {
    const duration = 500 + (i % 3);
    const size = i % 5_000 === 0 ? BYTES.length : 1 + ((i * 7) % 251);
    const pts = dts + (i % KEY_EVERY === 0 ? 0 : (i % 4) * 1_000);
    yield { data: BYTES.subarray(0, size), dts, pts, duration, isKey: i % KEY_EVERY === 0 };
    dts += duration;
  }
}

function* heads(): Generator<PacketHead> {
  for (const { data, ...head } of pictures()) {
    yield { ...head, bytes: data.byteLength };
  }
}

let film: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  const track = requireVideoTrack(await openBytes(mediaFixture("h264.mp4")));
  film = await writtenMovie("mp4", [
    copiedTrack(track, {
      edits: [],
      heads,
      // oxlint-disable-next-line typescript/require-await -- tracks are read asynchronously
      async *packets() {
        yield* pictures();
      },
    }),
  ]);
});

async function readHeads(bytes: Uint8Array, from = 0): Promise<readonly PacketHead[]> {
  const track = requireVideoTrack(await openBytes(bytes));
  const found: PacketHead[] = [];
  for await (const { bytes: size, dts, pts, duration, isKey } of track.heads?.({ from }) ?? []) {
    found.push({ dts, pts, duration, isKey, bytes: size });
  }
  return found;
}

describe("sample tables of 50,000 pictures", () => {
  test("list each of them", async () => {
    expect(await readHeads(film)).toEqual([...heads()]);
  });

  test("list them from the key picture before a time on", async () => {
    const all = [...heads()];
    for (const index of [1, 6_144, 12_287, PICTURES - 1]) {
      const key = index - (index % KEY_EVERY);
      // oxlint-disable-next-line no-await-in-loop -- one after another
      const found = await readHeads(film, all[index]?.dts);
      expect(found).toHaveLength(PICTURES - key);
      expect(found[0]).toEqual(all[key]);
    }
  });

  test("are read in pieces beside the packets, and not kept", async () => {
    const lengths: number[] = [];
    const memory = new MemorySource(film, "");
    const source: ByteSource = {
      sizeBytes: film.length,
      etag: "",
      read(from, to) {
        lengths.push(to - from);
        return memory.read(from, to);
      },
      stream: () => memory.stream(),
    };
    const track = requireVideoTrack(await openMedia(source));
    await track.prepare();
    for (let pass = 0; pass < 2; pass++) {
      lengths.length = 0;
      let count = 0;
      // oxlint-disable-next-line no-await-in-loop -- one after another
      for await (const _packet of track.packets()) {
        count++;
      }
      expect(count).toBe(PICTURES);
      // Sizes, durations and offsets have 1.0 MB, of which the first ones are in a block that is there.
      const pieces = lengths.filter((length) => length <= PIECE_BYTES);
      expect(lengths.length - pieces.length).toBeLessThanOrEqual(film.length / BLOCK_BYTES + 1);
      expect(pieces.length).toBeGreaterThan(8);
      expect(pieces.length).toBeLessThan(32);
    }
  });

  test.each([
    ["runs of no sample", "stts", (box: Buffer) => withRuns(box, [0, 7])],
    ["offsets of no sample", "ctts", (box: Buffer) => withRuns(box, [0, 7])],
    ["runs of no chunk", "stsc", (box: Buffer) => withRuns(box, [1, 900, 1])],
  ])("may have %s, however many", async (_name, type, change) => {
    expect(await readHeads(editedBox(film, STBL + type, change))).toEqual([...heads()]);
  });

  test("may have positions of 64 bits", async () => {
    const long = mediaFixture("h264.mp4");
    const found = await readHeads(long);
    const renamed = Buffer.from(
      editedBox(long, `${STBL}stco`, (box) => {
        const count = box.readUInt32BE(4);
        const pairs = Array.from({ length: count }, (_, i) => [0, box.readUInt32BE(8 + 4 * i)]);
        return table(count, ...pairs.flat());
      }),
    );
    renamed.write("co64", renamed.indexOf("stco", undefined, "latin1"), "latin1");
    expect(await readHeads(renamed)).toEqual(found);
  });
});

/** A table with 20,000 entries of these numbers before its own. */
function withRuns(box: Buffer, entry: readonly number[]): Buffer {
  const added = Array.from({ length: 20_000 }, () => entry).flat();
  const count = box.readUInt32BE(4);
  const own = Array.from({ length: (box.length - 8) / 4 }, (_, i) => box.readUInt32BE(8 + 4 * i));
  return table(count + 20_000, ...added, ...own);
}
