import type { LeasedTask } from "../../src/contracts/task.ts";
import { decodeValue, isSpilled, type SpilledValue } from "../../src/engine/values.ts";
import { parseJson } from "../../src/lib/exact-json.ts";
import { FileRef } from "../../src/lib/file-ref.ts";
import { NodeInputs, type RunValue } from "../../src/nodes/define-node.ts";
import { readTaskFile } from "../../src/storage/r2/read-task-file.ts";

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
  /** Bytes that running the task may bring into memory: its files and its spilled values. */
  readonly bytes: number;

  /** Throws TypeError or SyntaxError on a stored value that `encodeValue` did not make. */
  constructor(inputs: LeasedTask["inputs"]) {
    let bytes = 0;
    this.#ports = inputs.map(({ port, value }) => {
      const isList = typeof value !== "string";
      const values = (isList ? value : [value]).map(decodeValue);
      for (const held of values) {
        bytes += isSpilled(held) ? held.spilled.sizeBytes : 0;
        bytes += held instanceof FileRef ? held.sizeBytes : 0;
      }
      return { port, isList, values };
    });
    this.bytes = bytes;
  }

  /** Reads the spilled values. Throws NodeError when storage cannot give them. */
  async load(bucket: R2Bucket, workspaceId: string): Promise<NodeInputs> {
    const inputs = new Map<string, RunValue | readonly RunValue[]>();
    for (const { port, isList, values } of this.#ports) {
      const loaded: RunValue[] = [];
      for (const value of values) {
        loaded.push(isSpilled(value) ? await readSpilled(bucket, workspaceId, value) : value);
      }
      const [single] = loaded;
      if (isList) {
        inputs.set(port, loaded);
      } else if (single !== undefined) {
        inputs.set(port, single);
      }
    }
    return new NodeInputs(inputs);
  }
}

async function readSpilled(
  bucket: R2Bucket,
  workspaceId: string,
  { spilled }: SpilledValue,
): Promise<RunValue> {
  const bytes = await readTaskFile(bucket, workspaceId, spilled);
  return parseJson(new TextDecoder().decode(bytes));
}
