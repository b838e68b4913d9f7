import { AskedElements, type LookUps } from "./asked-elements.ts";
import { CellReader } from "./cell-reader.ts";
import { EqualElements, type EqualsOptions } from "./equal-elements.ts";
import type { Commit, RunRows } from "./run-rows.ts";
import type { RunMemory } from "./work-memory.ts";
import type { Layout } from "../layout/layout.ts";
import type { Plan, PlanNode } from "../plan/plan.ts";
import { unreadPorts } from "../plan/unread-ports.ts";
import { ReceivedHash } from "../reuse/received-hash.ts";
import type { ReadCell, TaskReuse } from "../step/cells.ts";

interface SearchParts {
  readonly plan: Plan;
  readonly layout: Layout;
  readonly rows: RunRows;
  readonly memory: RunMemory;
  /** Nothing of the run is in the rows yet. */
  readonly isNew: boolean;
}

/** Where a run looks for an element's result before it is worked out: among its own elements [E44], and in the cache [E47]. */
export class ResultSearch {
  readonly #plan: Plan;
  readonly #layout: Layout;
  /** Of a run that takes results from its own elements. */
  readonly equals: EqualElements | undefined;
  /** Of a run that takes results from other runs. */
  readonly asked: AskedElements | undefined;

  constructor(
    { plan, layout, rows, memory, isNew }: SearchParts,
    equals: EqualsOptions | undefined,
    lookUps: LookUps | undefined,
  ) {
    this.#plan = plan;
    this.#layout = layout;
    const ownReader = () => new CellReader(rows, layout, memory);
    this.equals = equals && new EqualElements(plan, layout, rows, equals, ownReader(), isNew);
    const unread = (node: PlanNode) => this.unreadPorts(node);
    this.asked =
      lookUps && new AskedElements(plan, layout, rows, lookUps, ownReader(), memory, isNew, unread);
  }

  /** Output ports of a node that its results may lack: nothing reads them, also of nodes that may take these results [E44]. */
  unreadPorts(node: PlanNode): readonly string[] {
    return this.equals?.unreadPorts(node) ?? unreadPorts(this.#plan, node);
  }

  /** How an element that is ready to be worked out is looked for before; undefined if it is not. */
  of(node: PlanNode, element: number, read: ReadCell): TaskReuse | undefined {
    const { equals, asked } = this;
    const isAsked = asked?.asks(node) === true;
    if (!isAsked && equals?.isAlone(node) !== false) {
      return undefined;
    }
    const received = new ReceivedHash(node, this.#layout).add(element, read).digest();
    const equalTo = equals?.find(node, element, received);
    if (equalTo !== undefined) {
      return { equalTo };
    }
    return isAsked && received !== undefined ? { received } : undefined;
  }

  committed(rows: Pick<Commit, "cells" | "tasks">): void {
    this.equals?.committed(rows);
    this.asked?.committed(rows);
  }
}
