import { scheduler } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { predictLength } from "client-zip";
import { afterEach, expect, test, vi } from "vitest";
import type { ZipClaim } from "../../../../src/contracts/runs/zip-export.ts";
import {
  type BuildEntry,
  buildArchive,
  UPLOAD_PART_BYTES,
} from "../../../../src/domain/exports/build-archive.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

afterEach(() => {
  vi.unstubAllGlobals();
});

test("no part is held while other waiters get its memory", async () => {
  vi.stubGlobal("scheduler", scheduler);
  const text = "x".repeat(2.5 * UPLOAD_PART_BYTES);
  const size = text.length;
  async function* entries(): AsyncGenerator<BuildEntry> {
    await Promise.resolve();
    yield {
      name: "a.txt",
      size_bytes: size,
      source: new TextEncoder().encode(text),
      run: null,
    } as BuildEntry;
  }
  const parts: WeakRef<ArrayBufferLike>[] = [];
  const upload = {
    uploadId: "an upload",
    async uploadPart(partNumber: number, bytes: Uint8Array) {
      parts.push(new WeakRef(bytes.buffer));
      await scheduler.wait(1);
      return { partNumber, etag: String(partNumber) };
    },
    complete: () => Promise.resolve(),
  };
  const held: number[] = [];
  await buildArchive(
    {
      modified_ms: Date.UTC(2026, 0),
      key: "archive",
      size_bytes: Number(predictLength([{ name: "a.txt", size }])),
      upload_id: null,
      parts: [],
    } as unknown as ZipClaim,
    {
      bucket: { createMultipartUpload: () => Promise.resolve(upload) } as unknown as R2Bucket,
      entries: entries(),
      report: () => Promise.resolve(),
      nowMs: () => 0,
      isMemoryWanted: () => true,
      async yieldMemory() {
        // A dereferenced object lives until the end of its turn.
        await scheduler.wait(1);
        collect();
        held.push(parts.filter((part) => part.deref() !== undefined).length);
      },
    },
  );
  expect(parts).toHaveLength(3);
  expect(held).toEqual([0, 0]);
});
