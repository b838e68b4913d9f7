import type { LeasedTask } from "../../src/contracts/runs/task.ts";
import type { FileRef } from "../../src/lib/files/file-ref.ts";
import { parseJson } from "../../src/lib/json/exact-json.ts";
import { memoryOfNeeds } from "../../src/nodes/define-tools.ts";
import type { TaskNode } from "./run-task.ts";

export interface PreparedParams {
  readonly params: unknown;
  /** The memory that the node declares for an element with these files, besides the values of its inputs. */
  readonly memoryBytes: (files: readonly FileRef[]) => number;
}

/** A chunk's parameters, parsed once, because its tasks are mostly elements of one node. */
export class ParsedParams {
  readonly #byText = new Map<string, PreparedParams>();

  /** Throws ZodError. Parameters were checked at publishing, so that is an internal fault. */
  of(node: TaskNode, { node_type, params_json }: LeasedTask): PreparedParams {
    const key = `${node_type} ${params_json}`;
    let prepared = this.#byText.get(key);
    if (prepared === undefined) {
      const params = node.params.parse(parseJson(params_json)) as never;
      const { memoryBytes: own, needs } = node;
      prepared = {
        params,
        memoryBytes: (files) => {
          if (typeof own === "function") {
            return own(params, files);
          }
          return own ?? memoryOfNeeds(needs, sumOf(files));
        },
      };
      this.#byText.set(key, prepared);
    }
    return prepared;
  }
}

function sumOf(files: readonly FileRef[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
