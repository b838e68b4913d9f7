import { describe, expect, it } from "vitest";
import { putPieces } from "../../../../src/storage/r2/put-pieces.ts";
import { MemoryBudget } from "../../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../../src/lib/memory/memory-gate.ts";
import { RequestMemory } from "../../../../src/platform/request-memory.ts";

const MIB = 1024 * 1024;

/**
 * A bucket that accepts a part only when the test allows it, and records the outcome of the upload.
 */
class SlowBucket {
  readonly parts: number[] = [];
  state: "none" | "open" | "completed" | "aborted" | "put" = "none";
  #release: (() => void)[] = [];
  fails = false;

  asBucket(): R2Bucket {
    return this as unknown as R2Bucket;
  }

  releaseAll(): void {
    this.#release.splice(0).forEach((release) => {
      release();
    });
  }

  put(_key: string, bytes: Uint8Array) {
    this.state = "put";
    return Promise.resolve({ etag: "put", size: bytes.byteLength });
  }

  createMultipartUpload() {
    this.state = "open";
    return Promise.resolve({
      uploadPart: async (_number: number, bytes: Uint8Array) => {
        await new Promise<void>((resolve) => this.#release.push(resolve));
        if (this.fails) {
          throw new Error("the store is down");
        }
        this.parts.push(bytes.byteLength);
        return { partNumber: this.parts.length, etag: "part" };
      },
      complete: () => {
        this.state = "completed";
        return Promise.resolve({ etag: "whole" });
      },
      abort: () => {
        this.state = "aborted";
        return Promise.resolve();
      },
    });
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const memoryOf = (budget: MemoryBudget) => new RequestMemory(undefined, new MemoryGate(budget), 20);
const of = (budget: MemoryBudget) => ({ contentType: "text/plain", memory: memoryOf(budget) });
/** Another holder has all memory. */
const FULL = new MemoryBudget(MIB);
await new MemoryGate(FULL).take(MIB);

describe("a stream on its way into the store", () => {
  it.each([
    ["two parts", false, 8 * MIB],
    ["one smaller part, where that is asked for,", true, 5 * MIB],
  ])("is read no further than %s ahead of the stored bytes", async (_, isSparing, part) => {
    const bucket = new SlowBucket();
    let drawn = 0;
    let ahead = 0;
    const piece = new Uint8Array(256 * 1024);
    async function* pieces() {
      for (; drawn < 100 * MIB; drawn += piece.byteLength) {
        const taken = bucket.parts.reduce((sum, size) => sum + size, 0);
        ahead = Math.max(ahead, drawn - taken);
        yield await Promise.resolve(piece);
      }
    }
    let isDone = false;
    const budget = new MemoryBudget(64 * MIB);
    const memory = isSparing ? undefined : memoryOf(budget);
    const options = { contentType: "text/plain", memory };
    const storing = putPieces(bucket.asBucket(), "k", pieces(), options).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      bucket.releaseAll();
    }
    expect(await storing).toEqual({ sizeBytes: 100 * MIB, etag: "whole" });
    expect(budget.takenBytes).toBe(0);
    expect(ahead).toBeLessThanOrEqual((isSparing ? part : 2 * part) + piece.byteLength);
    expect(ahead).toBeGreaterThan(part - piece.byteLength);
    // R2 requires equal parts, except for the last.
    expect(new Set(bucket.parts.slice(0, -1))).toEqual(new Set([part]));
  });

  it("is stored at once if it is small", async () => {
    const bucket = new SlowBucket();
    async function* pieces() {
      yield await Promise.resolve(new Uint8Array(5));
    }
    expect(await putPieces(bucket.asBucket(), "k", pieces(), of(FULL))).toEqual({
      sizeBytes: 5,
      etag: "put",
    });
    expect(bucket.state).toBe("put");
  });

  it.each(["the stream", "the store"])("leaves nothing if %s fails", async (who) => {
    const bucket = new SlowBucket();
    bucket.fails = who === "the store";
    async function* pieces() {
      for (let sent = 0; sent < 30 * MIB; sent += MIB) {
        if (who === "the stream" && sent > 20 * MIB) {
          throw new Error("cut short");
        }
        yield await Promise.resolve(new Uint8Array(MIB));
      }
    }
    const budget = new MemoryBudget(64 * MIB);
    const storing = putPieces(bucket.asBucket(), "k", pieces(), of(budget));
    const outcome = storing.then(
      () => "stored",
      (error: unknown) => (error as Error).message,
    );
    let isDone = false;
    void outcome.then(() => {
      isDone = true;
    });
    await until(() => {
      bucket.releaseAll();
      return isDone;
    });
    expect(await outcome).toBe(who === "the stream" ? "cut short" : "the store is down");
    expect(bucket.state).toBe("aborted");
    expect(budget.takenBytes).toBe(0);
  });

  it("that is large uses a smaller part if there is no room for two, and waits for that", async () => {
    const bucket = new SlowBucket();
    const budget = new MemoryBudget(20 * MIB);
    const other = new MemoryGate(budget);
    const held = await other.take(12 * MIB);
    async function* pieces() {
      for (let sent = 0; sent < 12 * MIB; sent += MIB) {
        yield await Promise.resolve(new Uint8Array(MIB));
      }
    }
    let isDone = false;
    const storing = putPieces(bucket.asBucket(), "k", pieces(), of(budget)).finally(() => {
      isDone = true;
    });
    await until(() => {
      bucket.releaseAll();
      return isDone;
    });
    expect((await storing).sizeBytes).toBe(12 * MIB);
    expect(bucket.parts[0]).toBe(5 * MIB);
    expect(budget.takenBytes).toBe(12 * MIB);
    held.release();
  });

  it("that finds no memory in time is rejected, and leaves nothing", async () => {
    const bucket = new SlowBucket();
    async function* pieces() {
      yield await Promise.resolve(new Uint8Array(MIB));
    }
    await expect(putPieces(bucket.asBucket(), "k", pieces(), of(FULL))).rejects.toMatchObject({
      code: "service_unavailable",
      headers: { "retry-after": "5" },
    });
    expect(bucket.state).not.toBe("put");
    expect(FULL.isContended).toBe(false);
  });
});
