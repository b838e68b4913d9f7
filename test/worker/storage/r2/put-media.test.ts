import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newId } from "../../../../src/platform/ids.ts";
import { MediaFile } from "../../../../src/storage/r2/put-media.ts";

const MIB = 1024 * 1024;
const PART = 8 * MIB;
const workspaceId = newId("workspace", 0);
let made = 0;
const keyOf = (name: string) => `${workspaceId}/media/${made++}/${name}`;

/** Counts requests, and fails one kind of them from a number on. */
class CountingBucket {
  readonly calls: string[] = [];
  fails: string | undefined;
  readonly #bucket = env.FILES;

  asBucket(): R2Bucket {
    return {
      put: async (key: string, bytes: Uint8Array, options: R2PutOptions) => {
        this.#count("put");
        return await this.#bucket.put(key, bytes, options);
      },
      createMultipartUpload: async (key: string, options: R2MultipartOptions) => {
        this.#count("create");
        const upload = await this.#bucket.createMultipartUpload(key, options);
        return {
          uploadPart: async (number: number, bytes: Uint8Array) => {
            this.#count(`part ${number} ${bytes.byteLength}`);
            return await upload.uploadPart(number, bytes);
          },
          complete: async (parts: R2UploadedPart[]) => {
            this.#count("complete");
            return await upload.complete(parts);
          },
          abort: async () => {
            this.#count("abort");
            await upload.abort();
          },
        };
      },
    } as unknown as R2Bucket;
  }

  #count(call: string): void {
    this.calls.push(call);
    if (this.fails !== undefined && call.startsWith(this.fails)) {
      throw new Error("the store is down");
    }
  }
}

function pattern(from: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    bytes[i] = (from + i) * 31 + ((from + i) >> 8);
  }
  return bytes;
}

async function append(file: MediaFile, sizeBytes: number, pieceBytes: number): Promise<void> {
  for (let at = 0; at < sizeBytes; at += pieceBytes) {
    await file.append(pattern(at, Math.min(pieceBytes, sizeBytes - at)));
  }
}

async function stored(key: string): Promise<Uint8Array> {
  const object = await env.FILES.get(key);
  return new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0));
}

const isSame = (found: Uint8Array, expected: Uint8Array) =>
  found.byteLength === expected.byteLength && found.every((byte, i) => byte === expected[i]);

describe("a media file", () => {
  it.each([
    ["of no bytes", 0, ["put"]],
    ["of 100 bytes", 100, ["put"]],
    ["of exactly 8 MiB", PART, ["put"]],
    ["of one byte more", PART + 1, ["create", "part 2 1", `part 1 ${PART}`, "complete"]],
    ["of two parts", 2 * PART, ["create", `part 2 ${PART}`, `part 1 ${PART}`, "complete"]],
    [
      "of two parts and a half",
      2 * PART + 4 * MIB,
      ["create", `part 2 ${PART}`, `part 3 ${4 * MIB}`, `part 1 ${PART}`, "complete"],
    ],
  ])("%s is stored with the changes of its beginning", async (_, sizeBytes, calls) => {
    const bucket = new CountingBucket();
    const key = keyOf("a.m4a");
    const file = new MediaFile(bucket.asBucket(), workspaceId, { key, contentType: "audio/mp4" });
    await append(file, sizeBytes, 777_777);
    const expected = pattern(0, sizeBytes);
    const patched = Math.min(sizeBytes, PART);
    for (const at of [0, Math.max(0, patched - 3)]) {
      const bytes = Uint8Array.of(1, 2, 3).subarray(0, patched - at);
      file.patch(at, bytes);
      expected.set(bytes, at);
    }
    expect(file.sizeBytes).toBe(sizeBytes);
    expect(await env.FILES.head(key)).toBeNull();
    const { etag, ...put } = await file.end();
    expect(put).toEqual({ key, sizeBytes });
    expect(isSame(await stored(key), expected)).toBe(true);
    expect(bucket.calls).toEqual(calls);
    const head = await env.FILES.head(key);
    expect([head?.etag, head?.httpMetadata?.contentType]).toEqual([etag, "audio/mp4"]);
    // Nothing happens after the end.
    await file.abort();
    expect(await env.FILES.head(key)).not.toBeNull();
    await expect(file.append(new Uint8Array(1))).rejects.toThrow("complete");
  });

  it("holds a small file in little memory, and any other in two parts", async () => {
    const key = keyOf("f.wav");
    const file = new MediaFile(env.FILES, workspaceId, { key, contentType: "audio/wav" });
    await append(file, 100_000, 10_000);
    expect(file.memoryBytes).toBeLessThanOrEqual(400_000);
    await append(file, 3 * PART, MIB);
    expect(file.memoryBytes).toBe(MediaFile.MEMORY_BYTES_MAX);
    await file.abort();
    expect(file.memoryBytes).toBe(0);
  });

  it("is taken in one piece or in many, and copies the bytes", async () => {
    const key = keyOf("b.wav");
    const file = new MediaFile(env.FILES, workspaceId, { key, contentType: "audio/wav" });
    const all = pattern(0, PART + 5 * MIB);
    await file.append(all.subarray(0, 3));
    const copied = all.slice(3);
    await file.append(copied);
    copied.fill(0);
    await file.end();
    expect(isSame(await stored(key), all)).toBe(true);
  });

  it("leaves nothing if it is aborted", async () => {
    for (const sizeBytes of [100, 2 * PART + 1]) {
      const bucket = new CountingBucket();
      const key = keyOf("c.flac");
      const file = new MediaFile(bucket.asBucket(), workspaceId, {
        key,
        contentType: "audio/flac",
      });
      await append(file, sizeBytes, MIB);
      await file.abort();
      await file.abort();
      expect(await env.FILES.head(key)).toBeNull();
      expect(bucket.calls.filter((call) => call === "abort").length).toBe(sizeBytes > PART ? 1 : 0);
      await expect(file.end()).rejects.toThrow("aborted");
    }
  });

  it.each([
    ["put", 100],
    ["create", PART + 1],
    ["part 1", PART + 1],
    ["part 3", 2 * PART + 1],
    ["complete", PART + 1],
  ])("leaves nothing if the store fails at %s", async (call, sizeBytes) => {
    const bucket = new CountingBucket();
    bucket.fails = call;
    const key = keyOf("d.ogg");
    const file = new MediaFile(bucket.asBucket(), workspaceId, { key, contentType: "audio/ogg" });
    const writing = async () => {
      await append(file, sizeBytes, MIB);
      await file.end();
    };
    await expect(writing()).rejects.toThrow("the store is down");
    await file.abort();
    expect(await env.FILES.head(key)).toBeNull();
    expect(bucket.calls.includes("abort")).toBe(call !== "put" && call !== "create");
  });

  it("changes bytes of its first 8 MiB only, and only those that were appended", async () => {
    const key = keyOf("e.m4a");
    const file = new MediaFile(env.FILES, workspaceId, { key, contentType: "audio/mp4" });
    await file.append(new Uint8Array(10));
    expect(() => {
      file.patch(8, new Uint8Array(3));
    }).toThrow(RangeError);
    await append(file, PART, MIB);
    expect(() => {
      file.patch(PART - 1, new Uint8Array(2));
    }).toThrow(RangeError);
    file.patch(PART - 2, new Uint8Array(2));
    await file.abort();
  });

  it("is written for its own workspace only", () => {
    const file = { key: `${newId("workspace", 0)}/x.wav`, contentType: "audio/wav" };
    expect(() => new MediaFile(env.FILES, workspaceId, file)).toThrow("another owner");
  });
});
