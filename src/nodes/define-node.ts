/**
 * The definition of a node type. Each file under `nodes/` makes one; the catalog, the validator, the engine, the editor
 * and the docs all read it, and nothing else describes a node. `define-ports.ts` types its ports, `define-cost.ts` its
 * cost and limits, `define-roles.ts` the functions of each role.
 */
import type * as z from "zod";
import type { Costed, Limited } from "./define-cost.ts";
import type { ChosenRun, NodeDescription, NodeSpec, NodeType, Run } from "./define-roles.ts";
import type { InlineContext, Need, TaskContext } from "./define-tools.ts";

/** Whether a run may leave the input out and it still has a value or a file. */
export function hasDefault(type: Extract<NodeType, { role: "input" }>, params: unknown): boolean {
  return (
    type.defaultValue(params as never) !== undefined ||
    type.files?.defaultPath(params as never) !== undefined
  );
}

/** The functions of a node that run inside a run object. Throws for a node that runs only as a task. */
export function inlineRunOf(
  type: Extract<NodeType, { role: "transform" | "output" }>,
): Run<InlineContext, z.ZodObject> {
  const run = type.runInline ?? (type.placement === "inline" ? type.run : undefined);
  if (run === undefined) {
    throw new Error(`${type.type} runs only as a task.`);
  }
  return run;
}

/** Whether the node opens an axis of iteration. */
export function opensAxis(type: NodeType): boolean {
  return (
    type.role === "enumerator" ||
    (type.role === "input" && (type.enumerate !== undefined || type.stream !== undefined))
  );
}

type Runner<P extends z.ZodObject, N extends Need, R> = NodeDescription<P, N> &
  Costed<P> &
  Limited<P> & { readonly role: "transform" | "output" } & R;

/** A node definition as its file writes it: the placement determines the type of its context. */
type Drafted<P extends z.ZodObject, N extends Need, L> =
  | Runner<
      P,
      N,
      {
        readonly placement: L;
        readonly run: Run<L extends "inline" ? InlineContext<N> : TaskContext<N>, P>;
      }
    >
  | Exclude<NodeSpec<P, N>, { role: "transform" | "output" }>;

/** Types a node definition: its context has the tools that `needs` lists. Returns its argument unchanged. */
export function defineNode<
  P extends z.ZodObject,
  const N extends Need = never,
  const L extends "inline" | "task" = "inline",
  S extends Drafted<P, N, L> = Drafted<P, N, L>,
>(spec: S & { readonly params: P; readonly needs?: readonly N[]; readonly placement?: L }): S {
  return spec;
}

/** The same for a node whose parameters determine its placement. */
export function defineMovableNode<
  P extends z.ZodObject,
  const N extends Need,
  S extends Runner<P, N, ChosenRun<P, N>>,
>(spec: S & { readonly params: P; readonly needs?: readonly N[] }): S {
  return spec;
}
