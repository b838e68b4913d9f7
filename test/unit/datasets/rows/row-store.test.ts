import { describe, expect, it } from "vitest";
import type { DatasetManifest, DatasetOptions } from "../../../../src/contracts/dataset.ts";
import { profileDataset } from "../../../../src/datasets/profile/profile-dataset.ts";
import { readRows, RowStoreError } from "../../../../src/datasets/rows/read-rows.ts";
import { RowWriter } from "../../../../src/datasets/rows/row-writer.ts";
import { sha256HexOfBytes } from "../../../../src/lib/sha256.ts";
import { stringifyJson } from "../../../../src/lib/json/exact-json.ts";
import { DEFAULT_OPTIONS } from "../../../support/datasets/inspect-bytes.ts";
import { MemorySource } from "../../../support/datasets/memory-source.ts";

interface Store {
  readonly manifest: DatasetManifest;
  readonly objects: Map<string, Uint8Array>;
}

const DATASET_ID = `ds_${"0".repeat(32)}`;

async function storeOf(
  text: string,
  name = "d.csv",
  options: Partial<DatasetOptions> = {},
): Promise<Store> {
  const objects = new Map<string, Uint8Array>();
  let writer: RowWriter | undefined;
  const { profile, present } = await profileDataset(
    new MemorySource(new TextEncoder().encode(text)),
    name,
    { ...DEFAULT_OPTIONS, ...options },
    () => {
      writer = new RowWriter((key, bytes) => {
        objects.set(key, bytes);
        return Promise.resolve(key);
      });
      return writer;
    },
  );
  const { format, table, row_count, columns } = profile;
  const manifest: DatasetManifest = {
    schema: "svc.dataset/v1",
    dataset_id: DATASET_ID,
    format,
    table,
    locale: "invariant",
    row_count,
    columns: columns.map(({ name: column, type }, i) => ({
      name: column,
      type,
      present: present[i]!,
    })),
    source: { name, size_bytes: text.length, etag: "memory" },
    row_store: await writer!.finish(DATASET_ID),
  };
  return { manifest, objects };
}

async function rowsOf({ manifest, objects }: Store) {
  const rows = [];
  for await (const { row } of readRows(manifest, (key) => Promise.resolve(objects.get(key)))) {
    rows.push(row);
  }
  return rows;
}

const LARGE = `n,pad\n${Array.from({ length: 30_000 }, (_, i) => `${i},${"x".repeat(200)}`).join("\n")}\n`;

describe("a row store", () => {
  it("returns every row, chunk by chunk, with digits and gaps", async () => {
    const store = await storeOf(LARGE);
    expect(store.objects.size).toBeGreaterThan(3);
    const rows = await rowsOf(store);
    expect(rows).toHaveLength(30_000);
    expect(rows.map((row) => (row as string[])[0])).toEqual(
      Array.from({ length: 30_000 }, (_, i) => String(i)),
    );
    const json = await storeOf('[{"a":1.50},{"b":null,"a":""},{}]', "d.json");
    expect(stringifyJson(await rowsOf(json))).toBe('[{"a":1.50},{"b":null,"a":""},{}]');
    expect(await rowsOf(await storeOf("a,b\n1\n,\n2,3\n"))).toEqual([["1"], ["2", "3"]]);
    expect(await rowsOf(await storeOf("a\n"))).toEqual([]);
  });

  /** Changes one object, and its digest and length if `isForged`. */
  async function changed(key: string, change: (text: string) => string, isForged: boolean) {
    const store = await storeOf("a,b\n1,2\n3,\n");
    const bytes = new TextEncoder().encode(
      change(new TextDecoder().decode(store.objects.get(key))),
    );
    store.objects.set(key, bytes);
    if (!isForged) {
      return store;
    }
    const metadata = { size_bytes: bytes.length, sha256: await sha256HexOfBytes(bytes) };
    if (key === "rows-index.json") {
      return { ...store, manifest: { ...store.manifest, row_store: { key, ...metadata } } };
    }
    const index = JSON.parse(new TextDecoder().decode(store.objects.get("rows-index.json"))) as {
      chunks: { key: string }[];
    };
    index.chunks = index.chunks.map((chunk) =>
      chunk.key === key ? { ...chunk, ...metadata } : chunk,
    );
    const indexBytes = new TextEncoder().encode(JSON.stringify(index));
    store.objects.set("rows-index.json", indexBytes);
    const row_store = {
      key: "rows-index.json",
      size_bytes: indexBytes.length,
      sha256: await sha256HexOfBytes(indexBytes),
    };
    return { ...store, manifest: { ...store.manifest, row_store } };
  }

  const CHUNK = "rows-00000.ndjson";
  it.each([
    ["a byte of a chunk", CHUNK, (text: string) => text.replace("3", "4"), false],
    ["the length of a chunk", CHUNK, (text: string) => `${text} `, false],
    ["a byte of the index", "rows-index.json", (text: string) => text.replace("2", "3"), false],
    [
      "an index of a row, digests forged",
      CHUNK,
      (text: string) => text.replace("[1,", "[2,"),
      true,
    ],
    [
      "a row left out, digests forged",
      CHUNK,
      (text: string) => text.slice(0, text.indexOf("\n") + 1),
      true,
    ],
    [
      "a value taken away, digests forged",
      CHUNK,
      (text: string) => text.replace('"2"', '""'),
      true,
    ],
    [
      "a cell too many, digests forged",
      CHUNK,
      (text: string) => text.replace('"2"', '"2","3"'),
      true,
    ],
    [
      "another row count, digests forged",
      "rows-index.json",
      (text: string) => text.replace('"row_count":2', '"row_count":3'),
      true,
    ],
    [
      "another dataset, digests forged",
      "rows-index.json",
      (text: string) => text.replace("ds_0", "ds_1"),
      true,
    ],
    [
      "a chunk elsewhere, digests forged",
      "rows-index.json",
      (text: string) => text.replace('"first_row":0', '"first_row":1'),
      true,
    ],
  ] as const)("is rejected if it has %s", async (_what, key, change, isForged) => {
    const store = await changed(key, change, isForged);
    await expect(rowsOf(store)).rejects.toThrow(RowStoreError);
  });

  it("is rejected if an object is missing, or if the manifest has another count", async () => {
    const gone = await storeOf("a\n1\n");
    gone.objects.delete(CHUNK);
    await expect(rowsOf(gone)).rejects.toThrow(RowStoreError);
    const { manifest, objects } = await storeOf("a\n1\n");
    await expect(rowsOf({ manifest: { ...manifest, row_count: 2 }, objects })).rejects.toThrow(
      RowStoreError,
    );
    const columns = [{ ...manifest.columns[0]!, present: 2 }];
    await expect(rowsOf({ manifest: { ...manifest, columns }, objects })).rejects.toThrow(
      RowStoreError,
    );
  });
});
