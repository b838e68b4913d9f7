/** Runs nodes like the engine: parameters through the schema, inputs by port. */
import { NOTHING_STORED } from "../../../src/contracts/references.ts";
import type { ZodError } from "zod";
import { compileSchema } from "../../../src/expressions/json-schema.ts";
import { type JsonValue, numberToken, isJsonNumber } from "../../../src/lib/json/exact-json.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import type { NodeType } from "../../../src/nodes/define-roles.ts";
import { NodeInputs, type RunValue } from "../../../src/nodes/define-ports.ts";
import type { TaskContext } from "../../../src/nodes/define-tools.ts";
import { findNodeType } from "../../../src/nodes/registry.ts";

export type Ports = Readonly<Record<string, RunValue | readonly RunValue[]>>;

export function nodeOf(type: string): NodeType {
  const node = findNodeType(type);
  if (node === undefined) {
    throw new Error(`${type} is not in the registry`);
  }
  return node;
}

export async function runNode(
  type: string,
  params: unknown,
  ports: Ports,
): Promise<Record<string, RunValue>> {
  const node = nodeOf(type);
  if (node.role !== "transform" && node.role !== "output") {
    throw new Error(`${type} does not run`);
  }
  const ctx = { schemas: { compile: compileSchema } } as unknown as TaskContext;
  const outputs = await node.run(ctx, inputsOf(ports), node.params.parse(params));
  return Object.fromEntries(outputs);
}

/** The code of the NodeError of a run, `ok` if it does not fail. */
export async function failureOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (error instanceof NodeError) {
      return error.code;
    }
    throw error;
  }
  return "ok";
}

export function enumerateNode(
  type: string,
  params: unknown,
  ports: Ports,
): Record<string, RunValue>[] {
  const node = nodeOf(type);
  if ((node.role !== "enumerator" && node.role !== "input") || node.enumerate === undefined) {
    throw new Error(`${type} does not enumerate`);
  }
  const elements = node.enumerate(inputsOf(ports), node.params.parse(params));
  return Array.from(elements, (outputs) => Object.fromEntries(outputs));
}

/** `path: message` of every problem of a node's parameters, those of its schema first. */
export function problemsOf(
  type: string,
  params: unknown,
  connected: readonly string[] = [],
): string[] {
  const node = nodeOf(type);
  const parsed = node.params.safeParse(params);
  if (!parsed.success) {
    const { issues } = parsed.error as ZodError;
    return issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  }
  const ports = connected.map((port) => ({ port, type: "any" as const }));
  return (node.check?.(parsed.data, ports, NOTHING_STORED) ?? []).map(
    ({ code, path, message }) => `${path}: ${code}: ${message}`,
  );
}

export function inputsOf(ports: Ports): NodeInputs {
  return new NodeInputs(new Map(Object.entries(ports)));
}

/** Numbers with their source digits. */
export function digits(value: RunValue | undefined): string {
  return isJsonNumber(value) ? numberToken(value) : JSON.stringify(value as JsonValue);
}
