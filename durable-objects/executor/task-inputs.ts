import type { LeasedTask } from "../../src/contracts/task.ts";
import { elementDigest } from "../../src/engine/values/element-digest.ts";
import { decodeValue, isSpilled, type SpilledValue } from "../../src/engine/values.ts";
import { parseJson } from "../../src/lib/exact-json.ts";
import { jsonMemory } from "../../src/lib/json-memory.ts";
import { FileRef } from "../../src/lib/file-ref.ts";
import { NodeInputs, type RunValue } from "../../src/nodes/define-ports.ts";
import { readTaskFile } from "../../src/storage/r2/read-task-file.ts";

const MB = 1024 * 1024;

/**
 * Of a value in R2, before it is known: its bytes, its text (two bytes a character at worst), and what is
 * parsed, of small parts. One alone takes at most what any task may.
 */
const UNKNOWN_COPIES = 12;
const VALUE_BYTES_MAX = 64 * MB;
/** Its bytes and its text, at their worst together. */
const TEXT_COPIES = 3;

/** Of a file's content: its base64 and its bytes. */
const CONTENT_COPIES = 3;

type Decoded = RunValue | SpilledValue;

interface DecodedPort {
  readonly port: string;
  // A single value may be a JSON array itself, so a list port is told by this and not by its value.
  readonly isList: boolean;
  readonly values: readonly Decoded[];
}

/** A task's inputs, decoded as far as memory already holds them. */
export class TaskInputs {
  readonly #ports: readonly DecodedPort[];
  /** Bytes that the values which lie in R2 may bring into memory; once they are loaded, no more than they do. */
  #bytes: number;
  readonly files: readonly FileRef[];
  #digest: string | undefined;

  /** Throws TypeError or SyntaxError on a stored value that `encodeValue` did not make. */
  constructor(inputs: LeasedTask["inputs"]) {
    let bytes = 0;
    const files: FileRef[] = [];
    this.#ports = inputs.map(({ port, value }) => {
      const isList = typeof value !== "string";
      const values = (isList ? value : [value]).map(decodeValue);
      for (const held of values) {
        bytes += isSpilled(held) ? unknownBytes(held) : 0;
        if (held instanceof FileRef) {
          bytes += held.content === undefined ? 0 : held.sizeBytes * CONTENT_COPIES;
          files.push(held);
        }
      }
      return { port, isList, values };
    });
    this.#bytes = bytes;
    this.files = files;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Of all of it [E28]; undefined until it is loaded. */
  get digest(): string | undefined {
    return this.#digest;
  }

  /** Reads the spilled values. Throws NodeError when storage cannot give them. */
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
    this.#digest = elementDigest(inputs, (port) => lists.has(port));
    return new NodeInputs(inputs);
  }

  async #read(bucket: R2Bucket, workspaceId: string, value: SpilledValue): Promise<RunValue> {
    const bytes = await readTaskFile(bucket, workspaceId, value.spilled);
    const text = new TextDecoder().decode(bytes);
    const known = Math.max(TEXT_COPIES * bytes.byteLength, jsonMemory(text));
    this.#bytes -= Math.max(0, unknownBytes(value) - known);
    return parseJson(text);
  }
}

function unknownBytes({ spilled }: SpilledValue): number {
  return Math.min(VALUE_BYTES_MAX, spilled.sizeBytes * UNKNOWN_COPIES);
}
