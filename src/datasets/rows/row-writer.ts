import type { RowStoreIndex } from "../../contracts/dataset.ts";
import { type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import { sha256HexOfBytes } from "../../lib/sha256.ts";

/** Size of a chunk: a node that enumerates reads and holds it whole, so it is small. */
const CHUNK_CHARS = 2 * 1024 * 1024;

/** Stores one object of a row store and returns its key. */
export type PutObject = (name: string, bytes: Uint8Array) => Promise<string>;

/** The stored index of a row store. */
export interface StoredIndex {
  readonly key: string;
  readonly size_bytes: number;
  readonly sha256: string;
}

/**
 * Writes rows as NDJSON chunks, one `[row_index, row]` on each line: a row is the list of its cells
 * if there is a header, else an object. Holds one chunk at a time.
 */
export class RowWriter {
  readonly #put: PutObject;
  #lines: string[] = [];
  #chars = 0;
  #rows = 0;
  #firstRow = 0;
  readonly #chunks: RowStoreIndex["chunks"] = [];

  constructor(put: PutObject) {
    this.#put = put;
  }

  add(row: JsonValue): void {
    const line = `[${this.#rows},${stringifyJson(row)}]\n`;
    this.#lines.push(line);
    this.#chars += line.length;
    this.#rows++;
  }

  /** To be awaited between pieces of the file: stores a full chunk. */
  drained(): Promise<void> | undefined {
    return this.#chars < CHUNK_CHARS ? undefined : this.#flush();
  }

  /** Stores the last chunk and the index. */
  async finish(datasetId: string): Promise<StoredIndex> {
    if (this.#lines.length > 0) {
      await this.#flush();
    }
    const index: RowStoreIndex = {
      v: 1,
      dataset_id: datasetId,
      row_count: this.#rows,
      chunks: this.#chunks,
    };
    const bytes = new TextEncoder().encode(JSON.stringify(index));
    return {
      key: await this.#put("rows-index.json", bytes),
      size_bytes: bytes.length,
      sha256: await sha256HexOfBytes(bytes),
    };
  }

  async #flush(): Promise<void> {
    const bytes = new TextEncoder().encode(this.#lines.join(""));
    const rows = this.#lines.length;
    this.#lines = [];
    this.#chars = 0;
    const number = String(this.#chunks.length).padStart(5, "0");
    this.#chunks.push({
      key: await this.#put(`rows-${number}.ndjson`, bytes),
      first_row: this.#firstRow,
      rows,
      size_bytes: bytes.length,
      sha256: await sha256HexOfBytes(bytes),
    });
    this.#firstRow += rows;
  }
}
