/** What the trace adds up of nodes of video. */
import { expect, test } from "vitest";
import { CountedFiles } from "../../../../durable-objects/executor/counted-files.ts";
import { added, mediaProcessingOf } from "../../../../durable-objects/run/tasks/media-work.ts";
import { isFaststart } from "../../../../src/media/container/mp4/is-faststart.ts";
import { box, boxHead, text, u32 } from "../../../../src/media/container/mp4/write-box.ts";

test("a file that an attempt opens twice counts once, and every stored file counts", () => {
  const files = new CountedFiles();
  files.add({ use: "read", key: "a", sizeBytes: 10 });
  files.add({ use: "read", key: "b", sizeBytes: 5 });
  files.add({ use: "read", key: "a", sizeBytes: 10 });
  files.add({ use: "stored", key: "a", sizeBytes: 3 });
  files.add({ use: "stored", key: "c", sizeBytes: 4 });
  expect(files.work).toEqual({
    source_bytes: 15,
    output_bytes: 7,
    caption_count: null,
    faststart: null,
  });
});

test("an attempt has faststart if all of its movies have it, in any order", () => {
  const made = (...movies: readonly (boolean | undefined)[]) => {
    const files = new CountedFiles();
    for (const [index, faststart] of movies.entries()) {
      const own = faststart === undefined ? {} : { faststart };
      files.add({ use: "stored", key: String(index), sizeBytes: 1, ...own });
    }
    return files.work.faststart;
  };
  expect(made(undefined)).toBeNull();
  expect(made(true, undefined, true)).toBe(true);
  expect(made(true, false)).toBe(false);
  expect(made(false, true)).toBe(false);
});

test("iterations are added up, and a figure that none of them has stays null", () => {
  const one = { source_bytes: 1, output_bytes: 2, elapsed_ms: 3, caption_count: null };
  const sum = { source_bytes: 2, output_bytes: 4, elapsed_ms: 6, caption_count: null };
  const cases = [
    [null, null, null],
    [null, true, true],
    [true, true, true],
    [true, false, false],
    [false, null, false],
  ] as const;
  for (const [a, b, both] of cases) {
    expect(added({ ...one, faststart: a }, { ...one, faststart: b })).toEqual({
      ...sum,
      faststart: both,
    });
    expect(added({ ...one, faststart: b }, { ...one, faststart: a }).faststart).toBe(both);
  }
  const captions = { ...one, faststart: null, caption_count: 4 };
  expect(added(captions, captions).caption_count).toBe(8);
});

test("only nodes of video have it, and a node of subtitles counts them also without an element", () => {
  const kept = { source_bytes: 1, output_bytes: 2, elapsed_ms: 3, faststart: true };
  const facts = new Map([["media.1", JSON.stringify({ ...kept, caption_count: null })]]);
  const store = { getMetadata: (name: string) => facts.get(name) };
  const of = (index: number, typeName: string) => mediaProcessingOf(store, { index, typeName });
  expect(of(1, "video/concat")).toEqual({ ...kept, caption_count: null });
  expect(of(1, "audio/concat")).toBeUndefined();
  const none = { source_bytes: 0, output_bytes: 0, elapsed_ms: 0, faststart: null };
  expect(of(2, "video/concat")).toEqual({ ...none, caption_count: null });
  expect(of(2, "video/add_subtitles")).toEqual({ ...none, caption_count: 0 });
});

test("faststart is read from the order of the boxes, whatever stands before them", () => {
  const type = box("ftyp", text("isom"), u32(0));
  const file = (...boxes: readonly Uint8Array[]) => Buffer.concat([type, ...boxes]);
  const [moov, mdat] = [box("moov", new Uint8Array(40)), box("mdat", new Uint8Array(40))];
  expect(isFaststart(file(moov, mdat))).toBe(true);
  expect(isFaststart(file(mdat, moov))).toBe(false);
  expect(isFaststart(file(box("free", new Uint8Array(9)), moov))).toBe(true);
  const long = Buffer.concat([boxHead("free", 1), u32(0, 24), new Uint8Array(8)]);
  expect(isFaststart(file(long, moov))).toBe(true);
  expect(isFaststart(file(long, mdat))).toBe(false);
  // A box that reaches to the end, one that is smaller than its head, and one that ends after what is known.
  expect(isFaststart(file(boxHead("free", 0), moov))).toBe(false);
  expect(isFaststart(file(boxHead("free", 4), moov))).toBe(false);
  expect(isFaststart(file(boxHead("free", 4_000), moov))).toBe(false);
  expect(isFaststart(new Uint8Array())).toBe(false);
});
