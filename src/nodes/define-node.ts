/**
 * What a node type is. One file makes one of these; the catalog, the validator, the engine,
 * the editor and the docs all read it, and nothing else describes a node. Its ports are typed in
 * `define-ports.ts`, its cost and limits in `define-cost.ts`, what each role does in `define-roles.ts`.
 */
import type { z } from "zod";
import type { Costed, Limited } from "./define-cost.ts";
import type { ChosenRun, NodeDescription, NodeSpec, NodeType, Run } from "./define-roles.ts";
import type { InlineContext, Need, TaskContext } from "./define-tools.ts";

/** Whether a run may leave the input out and still has a value or a file for it. */
export function hasDefault(type: Extract<NodeType, { role: "input" }>, params: unknown): boolean {
  return (
    type.defaultValue(params as never) !== undefined ||
    type.files?.defaultPath(params as never) !== undefined
  );
}

/** What of a node runs inside a run object. Throws for a node that only runs as a task. */
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

/** A node while it is being written: its placement decides what its context is. */
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

/** Gives a node file its types: its context has what `needs` names. Identity at run time. */
export function defineNode<
  P extends z.ZodObject,
  const N extends Need = never,
  const L extends "inline" | "task" = "inline",
  S extends Drafted<P, N, L> = Drafted<P, N, L>,
>(spec: S & { readonly params: P; readonly needs?: readonly N[]; readonly placement?: L }): S {
  return spec;
}

/** The same for a node whose parameters say where it runs. */
export function defineMovableNode<
  P extends z.ZodObject,
  const N extends Need,
  S extends Runner<P, N, ChosenRun<P, N>>,
>(spec: S & { readonly params: P; readonly needs?: readonly N[] }): S {
  return spec;
}
