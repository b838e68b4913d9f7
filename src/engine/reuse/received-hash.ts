import { createHash } from "node:crypto";
import type { Layout } from "../layout/layout.ts";
import type { PlanNode } from "../plan/plan.ts";
import type { ReadCell } from "../step/cells.ts";
import { project } from "../step/gather-inputs.ts";
import { contentDigest } from "./same-content.ts";

/**
 * [E36] The content that an element receives, on each connection of each connected port, as one digest: equal for two
 * elements of nodes with the same definition exactly if they receive the same. An aggregator's result adds its range.
 */
export class ReceivedHash {
  readonly #hash = createHash("sha256");
  readonly #node: PlanNode;
  readonly #layout: Layout;
  #isKnown = true;

  /** `layout`: of the run that the node belongs to. */
  constructor(node: PlanNode, layout: Layout) {
    this.#node = node;
    this.#layout = layout;
  }

  /** Adds the inputs that are read at one element: those read once for a result of an aggregator, or all others. */
  add(element: number, read: ReadCell, isOnce = false): this {
    const { inputs, scope, outputScope } = this.#node;
    const from = isOnce ? outputScope : scope;
    const connected = inputs.filter(
      ({ sources, once }) => sources.length > 0 && (once === true) === isOnce,
    );
    for (const input of connected.toSorted((a, b) => (a.port < b.port ? -1 : 1))) {
      this.#hash.update(JSON.stringify(input.port));
      for (const source of input.sources) {
        const cell = read(source.node, project(this.#layout, from, source.scope, element));
        const value = cell?.outputs.get(source.port);
        if (cell === undefined) {
          this.#isKnown = false;
        } else if (value === undefined) {
          const isBad = cell.status === "failed" || cell.status === "blocked";
          this.#hash.update(isBad ? "!" : "-");
        } else {
          const digest = contentDigest(input, value);
          this.#isKnown &&= digest !== undefined;
          this.#hash.update(`=${digest ?? ""}`);
        }
      }
    }
    this.#hash.update(";");
    return this;
  }

  /** Undefined if some of the content has no digest. */
  digest(): string | undefined {
    const digest = this.#hash.digest("base64url");
    return this.#isKnown ? digest : undefined;
  }
}
