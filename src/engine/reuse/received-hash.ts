import type { Layout } from "../layout/layout.ts";
import type { PlanInput, PlanNode } from "../plan/plan.ts";
import type { ReadCell } from "../step/cells.ts";
import { project } from "../step/gather-inputs.ts";
import { DigestedText } from "../values/digested-text.ts";
import { receivedContent } from "./same-content.ts";

/** The connected inputs of a node by their ports: those that are read once for a result, and all others. */
type Connected = Readonly<Record<"once" | "each", readonly PlanInput[]>>;

const connectedOfNodes = new WeakMap<PlanNode, Connected>();

/**
 * [E36] The content that an element receives, on each connection of each connected port, as one digest: equal for two
 * elements of nodes with the same definition exactly if they receive the same. An aggregator's result adds its range.
 */
export class ReceivedHash {
  readonly #text = new DigestedText();
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
    const { scope, outputScope } = this.#node;
    const from = isOnce ? outputScope : scope;
    for (const input of connectedOf(this.#node)[isOnce ? "once" : "each"]) {
      this.#text.add(JSON.stringify(input.port));
      for (const source of input.sources) {
        const cell = read(source.node, project(this.#layout, from, source.scope, element));
        const value = cell?.outputs.get(source.port);
        if (cell === undefined) {
          this.#isKnown = false;
        } else if (value === undefined) {
          const isBad = cell.status === "failed" || cell.status === "blocked";
          this.#text.add(isBad ? "!" : "-");
        } else {
          const content = receivedContent(input, value);
          this.#isKnown &&= content !== undefined;
          this.#text.add(`=${content ?? ""}`);
        }
      }
    }
    this.#text.add(";");
    return this;
  }

  /** Undefined if some of the content has no digest. */
  digest(): string | undefined {
    const digest = this.#text.digest();
    return this.#isKnown ? digest : undefined;
  }
}

function connectedOf(node: PlanNode): Connected {
  let connected = connectedOfNodes.get(node);
  if (connected === undefined) {
    const inputs = node.inputs
      .filter(({ sources }) => sources.length > 0)
      .toSorted((a, b) => (a.port < b.port ? -1 : 1));
    connected = {
      once: inputs.filter(({ once }) => once === true),
      each: inputs.filter(({ once }) => once !== true),
    };
    connectedOfNodes.set(node, connected);
  }
  return connected;
}
