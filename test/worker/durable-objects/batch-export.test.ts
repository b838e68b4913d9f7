/** The rows of a batch's export on SQLite, and its parts in R2: what is committed survives, whatever is lost. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  ExportSpool,
  PIECE_BYTES,
  SupersededError,
} from "../../../durable-objects/batch-export/export-spool.ts";
import { ExportStore } from "../../../durable-objects/batch-export/export-store.ts";
import { buildSlice } from "../../../src/domain/exports/batch/build-export.ts";
import {
  exportOf,
  MemoryBatch,
  type MemoryItem,
  REQUEST,
} from "../../support/batch-exports/memory-export.ts";
import batchExport from "../../golden/databases/batch-export-1.sql?raw";

const columns = { inputs: [], outputs: ["said"] };

async function inStorage(
  test: (storage: DurableObjectStorage) => Promise<void> | void,
): Promise<void> {
  const stub = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
  await runInDurableObject(stub, (_object, { storage }) => test(storage));
  await evictDurableObject(stub);
}

/** Twenty items of a mebibyte each, and a bit. */
const LONG: readonly MemoryItem[] = Array.from({ length: 20 }, (_, at) => ({
  outputs: { said: { text: String.fromCharCode(97 + at).repeat(PIECE_BYTES + at) } },
}));

/** A bucket that fails every third time after it has done what it was asked for, as a lost answer does. */
function unreliable(bucket: R2Bucket): R2Bucket {
  let calls = 0;
  const lossy = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    calls += 1;
    if (calls % 3 === 0) {
      throw new Error("the answer was lost");
    }
    return done;
  };
  return {
    head: (key: string) => bucket.head(key),
    put: (key: string, bytes: Uint8Array, options: R2PutOptions) =>
      lossy(bucket.put(key, bytes, options)),
    createMultipartUpload: (key: string, options: R2MultipartOptions) =>
      lossy(bucket.createMultipartUpload(key, options)),
    resumeMultipartUpload: (key: string, id: string) => {
      const upload = bucket.resumeMultipartUpload(key, id);
      return {
        uploadPart: (number: number, bytes: Uint8Array) => lossy(upload.uploadPart(number, bytes)),
        complete: (parts: R2UploadedPart[]) => lossy(upload.complete(parts)),
      };
    },
  } as unknown as R2Bucket;
}

/** Builds with a new store and spool for each slice, as after a crash. Returns the keys of the files. */
async function build(
  storage: DurableObjectStorage,
  items: readonly MemoryItem[],
  {
    format = "csv",
    bucket = env.FILES,
    archiveBytes = 1e9,
  }: {
    format?: "csv" | "zip";
    bucket?: R2Bucket;
    archiveBytes?: number;
  } = {},
): Promise<string[]> {
  const request = { ...REQUEST, format, total_items: items.length, columns };
  new ExportStore(storage).begin(request);
  const limits = { untilMs: Number.POSITIVE_INFINITY, reads: 3, archiveBytes };
  const host = new MemoryBatch(items);
  for (let slice = 0; slice < 500; slice++) {
    const store = new ExportStore(storage);
    const sink = new ExportSpool(store, bucket, "text/csv");
    try {
      if (await buildSlice({ request, columns, host, sink, limits }, store.state)) {
        store.complete(Date.now());
        const count = store.status().files.length;
        return Array.from({ length: count }, (_, at) => String(store.fileKey(at + 1)));
      }
    } catch (error) {
      expect((error as Error).message).toBe("the answer was lost");
    }
  }
  throw new Error("The export was not completed.");
}

async function stored(keys: readonly string[]): Promise<Uint8Array[]> {
  return await Promise.all(
    keys.map(async (key) => {
      const object = await env.FILES.get(key);
      return new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer());
    }),
  );
}

describe("the bytes of an export", () => {
  it("are complete in one put or in parts, by slices, and keep no row behind", () =>
    inStorage(async (storage) => {
      for (const items of [LONG.slice(0, 2), LONG]) {
        const keys = await build(storage, items);
        const wanted = await exportOf(items, { format: "csv", columns });
        expect(Buffer.compare((await stored(keys))[0]!, wanted[0]!)).toBe(0);
        const rows = storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM piece").one();
        expect(rows.n).toBe(0);
      }
    }));

  it("are complete although answers of the store were lost", () =>
    inStorage(async (storage) => {
      const keys = await build(storage, LONG, { bucket: unreliable(env.FILES) });
      const wanted = await exportOf(LONG, { format: "csv", columns });
      expect(Buffer.compare((await stored(keys))[0]!, wanted[0]!)).toBe(0);
    }));

  it("of several archives are in files of their own", () =>
    inStorage(async (storage) => {
      const options = { format: "zip", archiveBytes: 25_000_000 } as const;
      const keys = await build(storage, LONG, { ...options, bucket: unreliable(env.FILES) });
      expect(keys.map((key) => key.replace(/^.*\//, ""))).toEqual([
        "Test-bat.zip",
        ...[...keys.keys()].slice(1).map((at) => `Test-bat-part-${String(at + 1)}.zip`),
      ]);
      const wanted = await exportOf(LONG, { ...options, columns, reads: 3 });
      expect((await stored(keys)).map(({ byteLength }) => byteLength)).toEqual(
        wanted.map(({ byteLength }) => byteLength),
      );
    }));

  it("that were not committed are dropped", () =>
    inStorage((storage) => {
      new ExportStore(storage).begin({ ...REQUEST, columns });
      const { state } = new ExportStore(storage);
      const spool = new ExportSpool(new ExportStore(storage), env.FILES, "text/csv");
      spool.append(new TextEncoder().encode("kept"));
      spool.commit(state);
      spool.append(new Uint8Array(2 * PIECE_BYTES));
      const store = new ExportStore(storage);
      const next = new ExportSpool(store, env.FILES, "text/csv");
      expect(next.uncommitted).toBe(0);
      next.append(new TextEncoder().encode(" and more"));
      next.commit(state);
      expect(new TextDecoder().decode(store.pieces(0, 8))).toBe("kept and more");
    }));

  it("of a build that was begun again are refused", () =>
    inStorage((storage) => {
      const store = new ExportStore(storage);
      store.begin({ ...REQUEST, columns });
      const spool = new ExportSpool(store, env.FILES, "text/csv");
      spool.append(Uint8Array.of(1));
      store.begin({ ...REQUEST, inputs: true, columns });
      expect(() => {
        spool.commit(store.state);
      }).toThrow(SupersededError);
    }));

  it("of a build that was begun again while it stored them are deleted", () =>
    inStorage(async (storage) => {
      const store = new ExportStore(storage);
      store.begin({ ...REQUEST, columns });
      const { key } = store.file;
      const bucket = {
        put: async (at: string, bytes: Uint8Array) => {
          store.supersede();
          await env.FILES.delete(store.stored().map((file) => file.key));
          store.begin({ ...REQUEST, inputs: true, columns });
          return await env.FILES.put(at, bytes);
        },
        delete: (at: string) => env.FILES.delete(at),
      } as unknown as R2Bucket;
      const spool = new ExportSpool(store, bucket, "text/csv");
      spool.append(Uint8Array.of(1));
      spool.commit(store.state);
      await expect(spool.endFile(store.state)).rejects.toThrow(SupersededError);
      expect(await env.FILES.head(key)).toBe(null);
      expect(store.status()).toMatchObject({ status: "building", size_bytes: 0 });
    }));
});

it("an export of the past is opened", () =>
  inStorage((storage) => {
    storage.sql.exec(batchExport.trimEnd());
    const store = new ExportStore(storage);
    expect(store.status()).toMatchObject({
      status: "completed",
      row_count: 3,
      size_bytes: 300,
      files: [{ part_index: 1, total_parts: 1, download_file_name: "Golden-526341a9.csv" }],
    });
    expect(store.fileKey(1)).toContain("/Golden-526341a9.csv");
    store.end();
    expect(new ExportStore(storage).phase).toBe("none");
  }));
