/** The contract of a node type with definitions and runs, independent of its implementation. */
import * as z from "zod";
import type { NodeType } from "../../../src/nodes/define-roles.ts";
import type { InputPort, OutputPort } from "../../../src/nodes/define-ports.ts";
import { opensAxis } from "../../../src/nodes/define-node.ts";

export interface NodeContract {
  readonly version: string;
  readonly role: string;
  readonly placement: string;
  readonly opensAxis: boolean;
  readonly cost: number | string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly dynamicPorts: readonly unknown[];
  readonly params: unknown;
}

const BY_PARAMETERS = "by parameters";

export function contractOf(type: NodeType): NodeContract {
  const cost: unknown = type.cost?.milliCredits ?? 0;
  const { placement } = type as { readonly placement?: unknown };
  const isPrepared = type.role === "input" && type.run !== undefined;
  return {
    version: type.version,
    role: type.role,
    placement:
      typeof placement === "function"
        ? BY_PARAMETERS
        : typeof placement === "string"
          ? placement
          : isPrepared
            ? "task"
            : "inline",
    opensAxis: opensAxis(type),
    cost: typeof cost === "number" ? cost : BY_PARAMETERS,
    inputs: portsOf(type.inputs),
    outputs: portsOf(type.outputs),
    dynamicPorts: plain(type.dynamicPorts?.descriptors ?? []) as unknown[],
    params: withoutTexts(z.toJSONSchema(type.params, { unrepresentable: "any", io: "input" })),
  };
}

/**
 * The problem with a change from one contract to the next, in one line; undefined for none. The first number of a
 * version must increase if live runs could not continue.
 */
export function versionFault(before: NodeContract, now: NodeContract): string | undefined {
  const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  if (isSame(before, now)) {
    return undefined;
  }
  if (before.version === now.version) {
    return `changed and still has version ${now.version}`;
  }
  const breaking = [
    ...(["role", "placement", "opensAxis"] as const).filter((of) => before[of] !== now[of]),
    ...(["inputs", "outputs"] as const).filter((side) =>
      Object.entries(before[side]).some(([port, was]) => !isSame(was, now[side][port])),
    ),
  ];
  return breaking.length > 0 && majorOf(before.version) === majorOf(now.version)
    ? `changed its ${breaking.join(", ")}, so the first number of its version has to be raised from ${before.version}; it is ${now.version}`
    : undefined;
}

function majorOf(version: string): string {
  return version.split(".", 1)[0] ?? "";
}

function portsOf(ports: readonly (InputPort | OutputPort)[]): Record<string, unknown> {
  return Object.fromEntries(
    ports.map((port) => {
      const { name, ...rest } = plain(port) as Record<string, unknown>;
      // The name of a contract documents values that stay as they are.
      const { label: _label, description: _description, schemaRef: _ref, ...contract } = rest;
      return [name, contract];
    }),
  );
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A JSON schema without fields that are for display only. */
function withoutTexts(schema: unknown): unknown {
  if (Array.isArray(schema)) {
    return schema.map(withoutTexts);
  }
  if (typeof schema !== "object" || schema === null) {
    return schema;
  }
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !(SHOWN.has(key) && typeof value !== "object"))
      .map(([key, value]) => [key, withoutTexts(value)]),
  );
}

const SHOWN: ReadonlySet<string> = new Set([
  "title",
  "description",
  "advanced",
  "exposable",
  "hidden",
  "category",
]);
