/** Readers of a file that is a range of a pack, with a bucket that replies like R2. */
import { describe, expect, it } from "vitest";
import { FileContent } from "../../../../src/lib/files/file-content.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import { copyTaskFile } from "../../../../src/storage/r2/copy-task-file.ts";
import { openFileSource } from "../../../../src/storage/r2/open-file-source.ts";
import { readTaskFile } from "../../../../src/storage/r2/read-task-file.ts";
import { readValueText } from "../../../../src/storage/r2/run-values.ts";
import { type HeldRoom, writeTaskFile } from "../../../../src/storage/r2/write-task-file.ts";

const PACK = "ws_1/runs/run_1/packs/p";

/**
 * `abc` between other bytes; a range that begins beyond the end is an error, one that extends past
 * it is cut.
 */
function bucketOf(text: string | null) {
  const puts = new Map<string, string>();
  const object = (key: string, from: number, to: number) => {
    if (text === null || key !== PACK) {
      return null;
    }
    if (from >= text.length) {
      throw new Error("get: The requested range is not satisfiable (10039)");
    }
    const bytes = Buffer.from(text.slice(from, to));
    return {
      size: text.length,
      etag: "e",
      body: new Blob([bytes]).stream(),
      arrayBuffer: () => Promise.resolve(new Uint8Array(bytes).buffer),
    };
  };
  const bucket = {
    head: (key: string) =>
      Promise.resolve(text === null || key !== PACK ? null : { size: text.length, etag: "e" }),
    get: (key: string, { range }: { range?: { offset: number; length: number } } = {}) =>
      Promise.resolve().then(() =>
        object(key, range?.offset ?? 0, (range?.offset ?? 0) + (range?.length ?? Infinity)),
      ),
    put: async (key: string, body: BodyInit) => {
      puts.set(key, await new Response(body).text());
      return { etag: "e" };
    },
  };
  return { bucket: bucket as unknown as R2Bucket, puts };
}

const file = (sizeBytes = 3) =>
  new FileRef({
    key: "ws_1/runs/run_1/t/a.csv",
    name: "a.csv",
    contentType: "text/csv",
    sizeBytes,
    sha256: "s",
    pack: { key: PACK, offset: 2 },
  });

const NO_ROOM: HeldRoom = { bytesMax: 0, take: () => false, files: [] };

describe("a packed file", () => {
  it("is read, opened in parts, and copied, without any byte around it", async () => {
    const { bucket, puts } = bucketOf("xxabcyy");
    expect(Buffer.from(await readTaskFile(bucket, "ws_1", file())).toString()).toBe("abc");
    expect(await readValueText(bucket, file())).toBe("abc");
    const source = await openFileSource(bucket, "ws_1", file());
    expect([source.sizeBytes, source.etag]).toEqual([3, "s"]);
    expect(Buffer.from(await source.read(1, 99)).toString()).toBe("bc");
    expect(await new Response(await source.stream()).text()).toBe("abc");
    const copy = await copyTaskFile(bucket, "ws_1", file(), "ws_1/runs/run_2/u/", NO_ROOM);
    expect([...puts]).toEqual([["ws_1/runs/run_2/u/a.csv", "abc"]]);
    expect(copy).toMatchObject({ key: "ws_1/runs/run_2/u/a.csv", pack: undefined, sizeBytes: 3 });
  });

  it.each([
    ["is gone", null],
    ["ends within it", "xxab"],
    ["ends before it", "x"],
  ])("whose pack %s is missing, and is not requested again", async (_, text) => {
    const { bucket } = bucketOf(text);
    const missing = { code: "FILE_MISSING", retryable: false };
    await expect(readTaskFile(bucket, "ws_1", file())).rejects.toMatchObject(missing);
    await expect(openFileSource(bucket, "ws_1", file())).rejects.toMatchObject(missing);
    await expect(copyTaskFile(bucket, "ws_1", file(), "ws_1/r/", NO_ROOM)).rejects.toMatchObject(
      missing,
    );
    expect(await readValueText(bucket, file())).toBeNull();
  });

  it("of another workspace is not read", async () => {
    const { bucket } = bucketOf("xxabcyy");
    const foreign = file().with({ pack: { key: "ws_2/runs/run_1/packs/p", offset: 2 } });
    await expect(readTaskFile(bucket, "ws_1", foreign)).rejects.toThrow("another owner");
    await expect(openFileSource(bucket, "ws_1", foreign)).rejects.toThrow("another owner");
    await expect(copyTaskFile(bucket, "ws_1", foreign, "ws_1/r/", NO_ROOM)).rejects.toThrow(
      "another owner",
    );
  });
});

describe("a small file", () => {
  const room = (bytesMax: number, left: number): HeldRoom => ({
    bytesMax,
    files: [],
    take: (bytes) => (left -= bytes) >= 0,
  });
  const target = { key: "ws_1/runs/run_1/t/b.bin", name: "b.bin", contentType: "x/y" };
  async function* pieces(...sizes: number[]) {
    const shared = new Uint8Array(8);
    for (const [i, size] of sizes.entries()) {
      await Promise.resolve();
      yield shared.fill(65 + i).subarray(0, size);
    }
  }

  it("is held if there is room, whole or in pieces with a reused buffer", async () => {
    const { bucket, puts } = bucketOf(null);
    const given = new Uint8Array([1, 2, 3]);
    const held = room(8, 16);
    const whole = await writeTaskFile(bucket, "ws_1", target, given, held);
    given.fill(9);
    expect([...whole.content!.bytes]).toEqual([1, 2, 3]);
    const inPieces = await writeTaskFile(bucket, "ws_1", target, pieces(3, 2), held);
    expect(Buffer.from(inPieces.content!.bytes).toString()).toBe("AAABB");
    expect([inPieces.sizeBytes, held.files.length, puts.size]).toEqual([5, 2, 0]);
  });

  it.each([
    ["is too large", 4, 99],
    ["finds no room", 8, 4],
  ])("that %s is stored at once, completely", async (_, bytesMax, left) => {
    const { bucket, puts } = bucketOf(null);
    const held = room(bytesMax, left);
    const stored = await writeTaskFile(bucket, "ws_1", target, pieces(3, 2), held);
    expect([stored.content, stored.sizeBytes, held.files]).toEqual([undefined, 5, []]);
    expect(puts.get(target.key)).toBe("AAABB");
    const { sha256 } = await writeTaskFile(
      bucket,
      "ws_1",
      target,
      Buffer.from("AAABB"),
      room(0, 0),
    );
    expect(stored.sha256).toBe(sha256);
  });

  it("has its content in stored form, and as text on request", async () => {
    const content = FileContent.ofBase64(Buffer.from("name,1").toString("base64"));
    const small = file(6).with({ pack: undefined, content });
    expect(await readValueText(bucketOf(null).bucket, small)).toBe("name,1");
    const source = await openFileSource(bucketOf(null).bucket, "ws_1", small);
    expect(Buffer.from(await source.read(5, 6)).toString()).toBe("1");
    expect(await new Response(await source.stream()).text()).toBe("name,1");
  });
});
