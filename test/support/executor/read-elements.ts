import type { AggregatedElements, NodeInputs } from "../../../src/nodes/define-ports.ts";

/** Elements that an aggregator's task reads, and what it is told of them besides. */
export interface ReadElements {
  readonly elements: readonly { readonly inputs: NodeInputs; readonly place: number }[];
  readonly failed: number;
}

/** The same as the executor gives them to a node. */
export function readElements({ elements, failed }: ReadElements): AggregatedElements {
  let at = 0;
  return {
    get place() {
      return elements[at]?.place ?? -1;
    },
    failed,
    async *[Symbol.asyncIterator]() {
      for (const [index, { inputs }] of elements.entries()) {
        at = index;
        yield await Promise.resolve(inputs);
      }
    },
  };
}
