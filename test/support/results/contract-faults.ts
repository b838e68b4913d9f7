/**
 * Documents of nodes, held to the JSON Schemas that the service serves for their contracts. `served-schemas.test.ts` and
 * `read-outputs.ts` take the schemas from the service; here they are those of the same source.
 */
import { listJsonSchemas } from "../../../src/domain/catalog/json-schemas.ts";
import { compileSchema, type SchemaCheck } from "../../../src/expressions/json-schema.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import type { NodeType } from "../../../src/nodes/define-roles.ts";
import { NODES_BY_TYPE } from "../../../src/nodes/registry.ts";

const CHECKS: ReadonlyMap<string, SchemaCheck> = new Map(
  await Promise.all(
    Object.entries(listJsonSchemas()).map(
      async ([ref, schema]) => [ref, await compileSchema(schema as JsonValue)] as const,
    ),
  ),
);

type Checks = Pick<ReadonlyMap<string, SchemaCheck>, "get">;

interface Named {
  readonly at: string;
  readonly ref: string;
  readonly value: JsonValue;
}

/** All objects inside a value that name their contract. */
export function namedIn(value: JsonValue, at = "", found: Named[] = []): readonly Named[] {
  if (typeof value === "object" && value !== null) {
    const ref = (value as { readonly schema?: unknown }).schema;
    if (typeof ref === "string" && ref.startsWith("svc.")) {
      found.push({ at, ref, value });
    }
    for (const [name, inner] of Object.entries(value)) {
      namedIn(inner as JsonValue, `${at}/${name}`, found);
    }
  }
  return found;
}

/**
 * One line for each fault: a document that does not meet the contract that it names, at any depth, and a value that is not a document
 * of the contract of its port (`ref`).
 */
export function contractFaults(
  value: JsonValue,
  ref: string | undefined,
  checks: Checks = CHECKS,
): readonly string[] {
  const named = namedIn(value);
  const faults = named.flatMap(({ at, ref: own, value: document }) => {
    const problems = checks.get(own)?.(document);
    return problems === undefined
      ? [`${at} names ${own}, which is not served`]
      : problems.map((problem) => `${at} is not of ${own}: ${JSON.stringify(problem)}`);
  });
  const isOfPort = ref === undefined || named.some(({ at, ref: own }) => at === "" && own === ref);
  return isOfPort ? faults : [...faults, `the value does not name ${ref}`];
}

/** Returns the document. Throws if it does not meet the contract. */
export function ofContract<T>(ref: string, document: T): T {
  const faults = contractFaults(JSON.parse(JSON.stringify(document)) as JsonValue, ref);
  if (faults.length > 0) {
    throw new Error(faults.join("\n"));
  }
  return document;
}

/** The contracts of a node's output ports. */
export function contractsOfPorts(type: NodeType | undefined): ReadonlyMap<string, string> {
  return new Map(
    (type?.outputs ?? []).flatMap(({ name, schemaRef }) =>
      schemaRef === undefined ? [] : [[name, schemaRef] as const],
    ),
  );
}

interface Definition {
  readonly nodes: readonly {
    readonly id: string;
    readonly type: string;
    readonly parameters?: unknown;
  }[];
  readonly connections: readonly {
    readonly from: { readonly node: string; readonly port: string };
    readonly to: { readonly node: string };
  }[];
}

/** Of each output of a definition, by its key, the contract of the port that it takes. */
export function contractsOfOutputs({
  nodes,
  connections,
}: Definition): ReadonlyMap<string, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return new Map(
    connections.flatMap(({ from, to }) => {
      const target = byId.get(to.node);
      const source = byId.get(from.node);
      const { key } = (target?.parameters ?? {}) as { readonly key?: unknown };
      const ref = contractsOfPorts(NODES_BY_TYPE.get(source?.type ?? "")).get(from.port);
      return target?.type === "output/json" && typeof key === "string" && ref !== undefined
        ? [[key, ref] as const]
        : [];
    }),
  );
}
