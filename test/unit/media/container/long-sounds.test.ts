/** Long sounds are read with one range a MiB, and held in few of them (docs/decisions/media-reading.md). */
import { describe, expect, test } from "vitest";
import type { ByteSource } from "../../../../src/lib/files/byte-source.ts";
import { openSound } from "../../../../src/media/container/open-sound.ts";
import { mediaFixture } from "../../../support/media/read-codecs.ts";
import { RULERS } from "../../../support/media/rulers.ts";
import { MeteredSource } from "../../../support/media/read-sound.ts";

const MINUTE_FRAMES = Math.floor((60 * 44_100) / 1_152);
const BLOCK_BYTES = 1024 * 1024;

/** Frames of an MP3 again and again, made as they are read. */
class RepeatedFrames implements ByteSource {
  readonly sizeBytes: number;
  readonly etag = "repeated";
  readonly #frame: Uint8Array;

  constructor(frame: Uint8Array, count: number) {
    this.#frame = frame;
    this.sizeBytes = frame.length * count;
  }

  read(from: number, to: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(Math.min(to, this.sizeBytes) - from);
    const length = this.#frame.length;
    for (let at = -(from % length); at < bytes.length; at += length) {
      const frame = at < 0 ? this.#frame.subarray(-at) : this.#frame;
      bytes.set(frame.subarray(0, bytes.length - Math.max(0, at)), Math.max(0, at));
    }
    return Promise.resolve(bytes);
  }

  stream(): Promise<ReadableStream<Uint8Array>> {
    throw new Error("Sound is read by ranges.");
  }
}

/** One frame of 44.1 kHz, without the bit that adds a byte. */
function oneFrame(): Uint8Array {
  const file = mediaFixture("no-note.mp3");
  const frame = file.slice(file.indexOf(0xff), file.indexOf(0xff) + 313);
  frame[2] = (frame[2] ?? 0) & 0xfd;
  return frame;
}

describe("a sound of 50 minutes", () => {
  test("is read with one range for each MiB", async () => {
    const count = 50 * MINUTE_FRAMES;
    const source = new MeteredSource(new RepeatedFrames(oneFrame(), count));
    const reader = await openSound(source, RULERS);
    let frames = 0;
    for await (const [left] of reader.blocks()) {
      frames += left?.length ?? 0;
    }
    expect(frames).toBe(count * 1_152);
    expect(source.reads).toBe(Math.ceil(source.sizeBytes / BLOCK_BYTES));
    expect(source.bytes).toBe(source.sizeBytes);
  });
});
