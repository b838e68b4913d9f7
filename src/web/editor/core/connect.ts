/** The rules of connections, and what a change of ports does to wires. */
import { addWire, type End, type Graph, type Wire } from "./graph.ts";
import type { WordKey, Words } from "../words.ts";
import { type Catalog, type CatalogEntry, feeds, GraphPorts, type Port } from "./ports.ts";

/** Codes of the service where it has one for the same problem (docs/contract/workflows.md#definitions). */
export type RefusalCode =
  | "UNKNOWN_NODE"
  | "unknown_port"
  | "CONNECTION_TYPE_MISMATCH"
  | "PORT_ALREADY_CONNECTED"
  | "CONNECTION_COUNT"
  | "CYCLE";

export interface Refusal {
  readonly code: RefusalCode;
  /** The sentence for people, and the values of its places. */
  readonly word: WordKey;
  readonly values: Readonly<Record<string, string | number>>;
}

/** Code and reason of a refusal, in the language of the page. */
export function refusalText(words: Words, { code, word, values }: Refusal): string {
  return `${code}: ${words(word, values)}`;
}

/** Returns why the output must not be connected to the input, undefined if it may. */
export function refuseConnection(ports: GraphPorts, from: End, to: End): Refusal | undefined {
  for (const { node } of [from, to]) {
    if (ports.node(node) === undefined) {
      return { code: "UNKNOWN_NODE", word: "refusedNode", values: { node } };
    }
  }
  const input = ports.input(to);
  for (const [port, end] of [
    [ports.output(from), from],
    [input, to],
  ] as const) {
    if (port === undefined) {
      const values = { node: end.node, port: end.port };
      return { code: "unknown_port", word: "refusedPort", values };
    }
  }
  if (input === undefined) {
    return undefined;
  }
  const type = ports.typeOf(from);
  if (!feeds(type, input)) {
    return {
      code: "CONNECTION_TYPE_MISMATCH",
      word: "refusedType",
      values: {
        from: endName(from),
        type,
        to: endName(to),
        types: [input.type, ...input.accepts].join(", "),
      },
    };
  }
  // Before the counts: it stays refused whichever wire is removed.
  if (ports.leadsTo(to.node, from.node)) {
    return { code: "CYCLE", word: "refusedCycle", values: { node: to.node } };
  }
  return refuseCount(ports, from, to, input);
}

function refuseCount(ports: GraphPorts, from: End, to: End, input: Port): Refusal | undefined {
  const sources = ports.sources(to);
  const isThere = sources.some(({ node, port }) => node === from.node && port === from.port);
  if (isThere) {
    const values = { from: endName(from), to: endName(to) };
    return { code: "PORT_ALREADY_CONNECTED", word: "refusedSame", values };
  }
  const values = { node: to.node, port: to.port };
  if (!input.isMulti && sources.length > 0) {
    return { code: "PORT_ALREADY_CONNECTED", word: "refusedTaken", values };
  }
  if (input.maxCount !== undefined && sources.length >= input.maxCount) {
    return {
      code: "CONNECTION_COUNT",
      word: "refusedCount",
      values: { ...values, max: input.maxCount },
    };
  }
  return undefined;
}

function endName({ node, port }: End): string {
  return `${node}.${port}`;
}

/** Connects, or returns the reason why not. */
export function connect(
  catalog: Catalog,
  graph: Graph,
  from: End,
  to: End,
): { readonly graph: Graph } | { readonly refusal: Refusal } {
  const refusal = refuseConnection(new GraphPorts(catalog, graph), from, to);
  return refusal === undefined ? { graph: addWire(graph, from, to) } : { refusal };
}

/** The end of a wire that is being drawn, by a pointer or by the keyboard. */
export interface Picked extends End {
  readonly side: "out" | "in";
}

/** Ends that a picked end may be connected to, as `node:side:port`. */
export function fittingEnds(ports: GraphPorts, graph: Graph, picked: Picked): ReadonlySet<string> {
  const side = picked.side === "out" ? "in" : "out";
  return new Set(
    graph.nodes.flatMap(({ id }) =>
      (side === "in" ? ports.of(id).inputs : ports.of(id).outputs).flatMap(({ name }) => {
        const end = { node: id, port: name };
        const refusal =
          side === "in"
            ? refuseConnection(ports, picked, end)
            : refuseConnection(ports, end, picked);
        return refusal === undefined ? [`${id}:${side}:${name}`] : [];
      }),
    ),
  );
}

/** An output that an input can take, for selects and for the list view. */
export interface Source extends End {
  readonly type: string;
}

/** Outputs of other nodes that may feed an input, whether or not the input already has a wire. */
export function sourcesFor(catalog: Catalog, graph: Graph, to: End): readonly Source[] {
  const without = { ...graph, wires: graph.wires.filter((wire) => !endsAt(wire, to)) };
  const ports = new GraphPorts(catalog, without);
  return graph.nodes.flatMap(({ id }) =>
    ports.of(id).outputs.flatMap(({ name }) => {
      const from = { node: id, port: name };
      return refuseConnection(ports, from, to) === undefined
        ? [{ ...from, type: ports.typeOf(from) }]
        : [];
    }),
  );
}

export function endsAt({ to }: Wire, { node, port }: End): boolean {
  return to.node === node && to.port === port;
}

/** The ports of a type that a dangling end of a wire could be connected to; the first one is used. */
export function fittingPorts(
  entry: CatalogEntry,
  dangling: { readonly side: "from" | "to"; readonly type: string; readonly port?: Port },
): readonly string[] {
  return dangling.side === "from"
    ? entry.inputs.flatMap((port) => {
        const input = {
          name: port.name,
          type: port.type.replace(/\[\]$/, ""),
          label: port.label,
          isRequired: port.required,
          isMulti: port.multi,
          accepts: port.accepts ?? [],
        };
        return feeds(dangling.type, input) ? [port.name] : [];
      })
    : entry.outputs.flatMap(({ name, type }) =>
        dangling.port !== undefined && feeds(type, dangling.port) ? [name] : [],
      );
}

/**
 * Removes the wires of these nodes whose ports the change has removed. Wires that were dangling before stay: the service
 * reports them.
 */
export function dropLostWires(
  catalog: Catalog,
  before: Graph,
  after: Graph,
  nodes: ReadonlySet<string>,
): { readonly graph: Graph; readonly lost: readonly Wire[] } {
  const [had, has] = [new GraphPorts(catalog, before), new GraphPorts(catalog, after)];
  const lost = after.wires.filter(
    ({ from, to }) =>
      (nodes.has(from.node) && had.output(from) !== undefined && has.output(from) === undefined) ||
      (nodes.has(to.node) && had.input(to) !== undefined && has.input(to) === undefined),
  );
  const ids = new Set(lost.map(({ id }) => id));
  return {
    graph:
      lost.length === 0 ? after : { ...after, wires: after.wires.filter(({ id }) => !ids.has(id)) },
    lost,
  };
}
