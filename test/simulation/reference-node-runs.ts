import { datasetReaders } from "../../src/domain/datasets/dataset-readers.ts";
import type { JsonValue } from "../../src/lib/json/exact-json.ts";
import { compileSchema } from "../../src/expressions/json-schema.ts";
import { NodeError } from "../../src/lib/errors/node-error.ts";
import { inlineRunOf } from "../../src/nodes/define-node.ts";
import type { NodeType } from "../../src/nodes/define-roles.ts";
import type { NodeInputs, NodeOutputs } from "../../src/nodes/define-ports.ts";
import type { InlineContext, TaskContext } from "../../src/nodes/define-tools.ts";
import { type ReadElements, readElements } from "../support/executor/read-elements.ts";
import type { ReferenceNode } from "./reference-nodes.ts";
import type { ReferenceCell } from "./reference-result.ts";

export interface TransformWorld {
  /** Makes one attempt (from 1) of a task node; by default the node's own `run` with only `schemas`. */
  readonly runTask?: (
    spec: NodeType,
    inputs: NodeInputs,
    params: unknown,
    attempt: number,
  ) => NodeOutputs | Promise<NodeOutputs>;
  /** With `runTask`: what it and the others are given as the inputs of an aggregator's task. */
  readonly gather?: (read: ReadElements, once: NodeInputs) => NodeInputs;
  readonly schemas?: InlineContext["schemas"];
  /** How often a task is given back before it runs; never if omitted. */
  readonly giveBacks?: (inputs: NodeInputs, params: unknown) => number;
  /** Milli-credits that a task's report claims; undefined if it claims nothing. */
  readonly claim?: (inputs: NodeInputs, params: unknown, isOk: boolean) => number | undefined;
}

/** Tables as texts; no generated graph has one in a stored file. */
const INLINE_TOOLS: InlineContext = {
  datasets: datasetReaders(undefined as never, ""),
  schemas: { compile: compileSchema },
};

const ATTEMPTS_MAX = 4; // the first and up to 3 retries
const GIVE_BACKS_MAX = 20;

/** A NodeError fails the cell; any other error is a fault of the node's code and is rethrown. */
export async function attempt(
  indices: readonly number[],
  run: () => Promise<Partial<ReferenceCell> | void>,
): Promise<ReferenceCell> {
  try {
    return { indices, state: "ok", ...(await run()) };
  } catch (error) {
    if (error instanceof NodeError) {
      return { indices, state: "failed", code: error.code };
    }
    throw error;
  }
}

/** One element of a transform or output node. */
export async function referenceTransform(
  { id, spec, params }: ReferenceNode,
  inputs: NodeInputs,
  world: TransformWorld,
): Promise<Partial<ReferenceCell>> {
  if (spec.role !== "transform" && spec.role !== "output") {
    throw new Error(`node "${id}" cannot be run`);
  }
  const context = contextOf(world);
  const placement = typeof spec.placement === "function" ? spec.placement(params) : spec.placement;
  return placement === "inline"
    ? { outputs: await inlineRunOf(spec)(context, inputs, params as never) }
    : runAsTask(spec, inputs, params, world, () =>
        spec.run(context as TaskContext, inputs, params),
      );
}

/** One result of an aggregator that runs as a task. */
export async function referenceCombine(
  { id, spec, params }: ReferenceNode,
  read: ReadElements,
  once: NodeInputs,
  world: TransformWorld,
): Promise<Partial<ReferenceCell>> {
  if (spec.role !== "aggregator" || spec.placement !== "task") {
    throw new Error(`node "${id}" is not a task`);
  }
  const inputs = world.gather?.(read, once) ?? once;
  return runAsTask(spec, inputs, params, world, () =>
    spec.combine(contextOf(world) as TaskContext, readElements(read), once, params),
  );
}

function contextOf({ schemas }: TransformWorld): InlineContext {
  return schemas === undefined ? INLINE_TOOLS : { ...INLINE_TOOLS, schemas };
}

/** Transient faults of a task are tried again. */
async function runAsTask(
  spec: NodeType,
  inputs: NodeInputs,
  params: unknown,
  { runTask, claim, giveBacks }: TransformWorld,
  run: () => NodeOutputs | Promise<NodeOutputs>,
): Promise<Partial<ReferenceCell>> {
  if ((giveBacks?.(inputs, params) ?? 0) > GIVE_BACKS_MAX) {
    return { state: "failed", code: "NO_WORKER_AVAILABLE", charge: 0 };
  }
  for (let attempts = 1; ; attempts += 1) {
    try {
      return {
        outputs: await (runTask?.(spec, inputs, params, attempts) ?? run()),
        charge: chargeFor(spec, claim?.(inputs, params, true)),
      };
    } catch (error) {
      if (!(error instanceof NodeError)) {
        throw error;
      }
      if (!error.retryable || attempts === ATTEMPTS_MAX) {
        const charge = claim?.(inputs, params, false) ?? 0;
        return { state: "failed", code: error.code, charge: chargeFor(spec, charge) };
      }
    }
  }
}

/** The claimed charge, at most the reservation; without a claim the whole reservation. */
function chargeFor({ cost }: NodeType, claim: number | undefined): number {
  const reserved = cost?.milliCredits ?? 0;
  if (typeof reserved !== "number") {
    throw new Error("no generated node has a cost of its parameters");
  }
  return Math.min(claim ?? reserved, reserved);
}

/** The value that a submit passes to an input node, undefined if absent. Throws Error if submit rejects it. */
export function referenceSubmittedValue(
  { id, spec, params }: ReferenceNode,
  inputs: ReadonlyMap<string, JsonValue>,
): JsonValue | undefined {
  if (spec.role !== "input") {
    throw new Error(`node "${id}" is not an input`);
  }
  const value = inputs.has(id) ? inputs.get(id) : spec.defaultValue(params);
  if (value === undefined) {
    if (spec.isRequired(params)) {
      throw new Error(`input "${id}" is required`);
    }
    return undefined;
  }
  const parsed = spec.parse(value, params);
  if ("problem" in parsed) {
    throw new Error(`input "${id}": ${parsed.problem}`);
  }
  return parsed.value;
}

/** The elements of one enumeration, at most one above the limit. */
export async function referenceEnumerate(
  { id, spec, params }: ReferenceNode,
  inputs: NodeInputs,
  limit: number,
): Promise<Partial<ReferenceCell>> {
  const isEnumerator = spec.role === "enumerator" || spec.role === "input";
  const given = isEnumerator
    ? (spec.stream?.(INLINE_TOOLS, inputs, params) ?? spec.enumerate?.(inputs, params))
    : undefined;
  if (given === undefined) {
    throw new Error(`node "${id}" is not an enumerator`);
  }
  const elements: NodeOutputs[] = [];
  for await (const element of given) {
    elements.push(element);
    if (elements.length > limit) {
      break; // above the limit, however many more there are
    }
  }
  return { elements };
}
