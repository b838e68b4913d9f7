import type { LeasedTask } from "../../src/contracts/runs/task.ts";
import { elementDigest } from "../../src/engine/values/element-digest.ts";
import { decodeValue, isSpilled, type SpilledValue } from "../../src/engine/values.ts";
import { readBytes, unreadBytes } from "../../src/engine/values/spilled-memory.ts";
import { parseJson } from "../../src/lib/json/exact-json.ts";
import { FileRef } from "../../src/lib/files/file-ref.ts";
import { type ListPlaces, NodeInputs, type RunValue } from "../../src/nodes/define-ports.ts";
import { readTaskFile } from "../../src/storage/r2/read-task-file.ts";

/** For a file's content: its base64 and its bytes. */
const CONTENT_COPIES = 3;

type Decoded = RunValue | SpilledValue;

interface DecodedPort {
  readonly port: string;
  // A single value may itself be a JSON array, so this distinguishes list ports, not the value.
  readonly isList: boolean;
  readonly values: readonly Decoded[];
}

/** A task's inputs, decoded as far as they are in memory. */
export class TaskInputs {
  readonly #ports: readonly DecodedPort[];
  readonly #places: ListPlaces;
  /** Memory that values in R2 may take; after loading, their actual size. */
  #bytes: number;
  readonly files: readonly FileRef[];
  #digest: string | undefined;

  /** Throws TypeError or SyntaxError for a stored value that `encodeValue` did not make. */
  constructor(inputs: LeasedTask["inputs"]) {
    let bytes = 0;
    const files: FileRef[] = [];
    this.#ports = inputs.map(({ port, value }) => {
      const isList = typeof value !== "string";
      const values = (isList ? value : [value]).map(decodeValue);
      for (const held of values) {
        bytes += isSpilled(held) ? unreadBytes(held) : 0;
        if (held instanceof FileRef) {
          bytes += held.content === undefined ? 0 : held.sizeBytes * CONTENT_COPIES;
          files.push(held);
        }
      }
      return { port, isList, values };
    });
    this.#places = new Map(
      inputs.flatMap(({ port, places }) => (places === undefined ? [] : [[port, places] as const])),
    );
    this.#bytes = bytes;
    this.files = files;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Digest of all inputs [E28]; undefined until they are loaded. */
  get digest(): string | undefined {
    return this.#digest;
  }

  /** Reads the spilled values. Throws NodeError if storage does not return them. */
  async load(bucket: R2Bucket, workspaceId: string): Promise<NodeInputs> {
    const inputs = new Map<string, RunValue | readonly RunValue[]>();
    const lists = new Set(this.#ports.flatMap(({ port, isList }) => (isList ? [port] : [])));
    for (const { port, isList, values } of this.#ports) {
      const loaded: RunValue[] = [];
      for (const value of values) {
        loaded.push(isSpilled(value) ? await this.#read(bucket, workspaceId, value) : value);
      }
      const [single] = loaded;
      if (isList) {
        inputs.set(port, loaded);
      } else if (single !== undefined) {
        inputs.set(port, single);
      }
    }
    this.#digest = elementDigest(inputs, (port) => lists.has(port), this.#places);
    return new NodeInputs(inputs, this.#places);
  }

  async #read(bucket: R2Bucket, workspaceId: string, value: SpilledValue): Promise<RunValue> {
    const bytes = await readTaskFile(bucket, workspaceId, value.spilled);
    const text = new TextDecoder().decode(bytes);
    this.#bytes -= Math.max(0, unreadBytes(value) - readBytes(value, text));
    return parseJson(text);
  }
}
