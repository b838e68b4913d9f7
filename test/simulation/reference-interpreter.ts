/**
 * The reference for the run engine: the text of docs/contract/iteration.md#cells, implemented one element at a time
 * without regard to speed. It shares no code with the engine except for the nodes themselves.
 */
import type { Definition } from "../../src/contracts/workflows/definition.ts";
import type { JsonValue } from "../../src/lib/json/exact-json.ts";
import { type InputPort, NodeInputs, type RunValue } from "../../src/nodes/define-ports.ts";
import {
  attempt,
  referenceCombine,
  referenceEnumerate,
  referenceSubmittedValue,
  referenceTransform,
  type TransformWorld,
} from "./reference-node-runs.ts";
import { readReferenceNodes, type FindNodeType, type ReferenceNode } from "./reference-nodes.ts";
import { referencePortValue } from "./reference-port-value.ts";
import {
  summariseReference,
  type CellState,
  type Interpretation,
  type ReferenceCell as Cell,
  type ReferenceTable as Table,
  type ReferenceWarning,
} from "./reference-result.ts";
import { computeReferenceScopes } from "./reference-scopes.ts";

export interface InterpretRequest extends TransformWorld {
  readonly definition: Definition;
  readonly findNodeType: FindNodeType;
  /** Submitted values by input node id; an omitted node takes its default or is absent. */
  readonly inputs: ReadonlyMap<string, JsonValue>;
  readonly iterationLimit?: number;
  /** Called for each element once it has its result. */
  readonly onElement?: (element: ReferenceElement) => void;
}

/** What one element read, for the reference of retries. */
export interface ReferenceElement {
  readonly node: ReferenceNode;
  readonly indices: readonly number[];
  readonly state: CellState;
  /** By port, in connection order; for an aggregator once for each element that it reads. */
  readonly reads: readonly ReadonlyMap<string, readonly Read[]>[];
  /** The elements that it read. */
  readonly feeders: readonly { readonly node: string; readonly indices: readonly number[] }[];
}

// The text defines no code for these two.
const ITEMS_SKIPPED = "ITEMS_SKIPPED";
const ITEMS_FAILED = "ITEMS_FAILED";

/** The position of an element: axis → index. */
type At = ReadonlyMap<string, number>;

/** Counts the elements that an aggregator skipped as failed, and those that were not absent. */
type Skip = (failed: number, of: number) => void;

type Run = (inputs: NodeInputs) => Promise<Partial<Cell>>;

export interface Read {
  readonly state: CellState;
  readonly value?: RunValue;
}

/** An element of an aggregator. */
interface ElementRead {
  /** Undefined for an element that the aggregator does not read. */
  readonly inputs?: NodeInputs;
  readonly isFailed: boolean;
  /** Its own values did not fit. */
  readonly isMisfit?: boolean;
}

/** By input port, in connection order. */
type Reads = ReadonlyMap<string, readonly Read[]>;

/** The expected result of a run of a valid definition. Throws Error if submit rejects the inputs. */
export async function interpret(request: InterpretRequest): Promise<Interpretation> {
  const { iterationLimit = 10_000 } = request;
  const nodes = readReferenceNodes(request.definition, request.findNodeType);
  const scopes = computeReferenceScopes(nodes);
  const tables = new Map<string, Table>();
  const warnings: ReferenceWarning[] = [];

  const cellAt = (id: string, at: At): Cell => {
    const { scope, cells, whole } = tables.get(id)!;
    return whole ?? cells.get(keyOf(indicesOf(scope, at)))!;
  };

  /** The number of elements of an enumerator at a parent: one blocked one if it failed, none if absent. */
  const lengthAt = (axis: string, at: At): number => {
    const cell = cellAt(axis, at);
    if (cell.state === "ok") {
      return cell.elements!.length;
    }
    return cell.state === "absent" ? 0 : 1;
  };

  /** Every element of a scope below `at`, lexicographic in the indices. */
  function* elementsOf(axes: readonly string[], at: At): Generator<At> {
    const [axis, ...inner] = axes;
    if (axis === undefined) {
      yield at;
      return;
    }
    for (let index = 0; index < lengthAt(axis, at); index += 1) {
      yield* elementsOf(inner, new Map([...at, [axis, index]]));
    }
  }

  /** The value on an output port at an element. */
  const readPort = (source: { node: string; port: string }, at: At): Read => {
    const cell = cellAt(source.node, at);
    if (cell.state !== "ok") {
      return { state: cell.state };
    }
    const outputs = cell.outputs ?? cell.elements![at.get(source.node)!]!;
    const value = outputs.get(source.port);
    return value === undefined ? { state: "absent" } : { state: "ok", value };
  };

  const readAll = (node: ReferenceNode, at: At): Reads =>
    new Map(
      node.inputs.map(({ name }) => [
        name,
        (node.feeds.get(name) ?? []).map((each) => readPort(each, at)),
      ]),
    );

  /** Checked and converted inputs. Throws NodeError `TYPE_MISMATCH`. */
  const takeInputs = (node: ReferenceNode, reads: Reads): NodeInputs => {
    const values = new Map<string, RunValue | readonly RunValue[]>();
    const places = new Map<string, readonly number[]>();
    for (const port of node.inputs) {
      const all = reads.get(port.name)!;
      const present = all.filter(isOk).map((read) => referencePortValue(read.value!, port));
      if (present.length > 0) {
        values.set(port.name, port.list === undefined ? present[0]! : present);
        places.set(
          port.name,
          all.flatMap((read, place) => (isOk(read) ? [place] : [])),
        );
      }
    }
    return new NodeInputs(values, places);
  };

  /** Whether the values of one port fit it. */
  const fits = (node: ReferenceNode, name: string, reads: Reads): boolean => {
    try {
      takeInputs({ ...node, inputs: node.inputs.filter((port) => port.name === name) }, reads);
      return true;
    } catch {
      return false;
    }
  };

  /** Blocked, absent, or the result of `run`. */
  const runCell = async (node: ReferenceNode, at: At, run: Run): Promise<Cell> => {
    const indices = indicesOf(scopes.joined.get(node.id)!, at);
    const reads = readAll(node, at);
    if ([...reads.values()].flat().some(isBad)) {
      return { indices, state: "blocked" };
    }
    if (node.inputs.some((port) => port.required !== false && !reads.get(port.name)!.some(isOk))) {
      return { indices, state: "absent" };
    }
    return attempt(indices, () => run(takeInputs(node, reads)));
  };

  const runInput = async (node: ReferenceNode): Promise<Cell> => {
    const value = referenceSubmittedValue(node, request.inputs);
    if (value === undefined) {
      return { indices: [], state: "absent" };
    }
    if (node.opensAxis) {
      return attempt([], async () =>
        referenceEnumerate(node, new NodeInputs(new Map([["value", value]])), iterationLimit),
      );
    }
    return { indices: [], state: "ok", outputs: new Map([[node.outputs[0]!.name, value]]) };
  };

  const runMerge = (node: ReferenceNode, at: At): Cell => {
    const { spec, params } = node;
    const indices = indicesOf(scopes.joined.get(node.id)!, at);
    const reads = [...readAll(node, at).values()].flat();
    const passesOver = spec.role === "merge" && spec.onFailed(params) === "next";
    const first = reads.find((read) => isOk(read) || (isBad(read) && !passesOver));
    if (first?.state === "ok") {
      return { indices, state: "ok", outputs: new Map([[node.outputs[0]!.name, first.value!]]) };
    }
    return { indices, state: reads.some(isBad) ? "blocked" : "absent" };
  };

  /** An axis is absent as a whole if its enumerator ran (below `at`) and was absent every time. */
  const isAxisAbsent = (axis: string, at: At): boolean => {
    const { scope, cells, whole } = tables.get(axis)!;
    const below = [...cells.values()].filter((cell) =>
      scope.every((each, place) => !at.has(each) || at.get(each) === cell.indices[place]),
    );
    return (
      whole === undefined && below.length > 0 && below.every((cell) => cell.state === "absent")
    );
  };

  /** What an aggregator reads at an element. */
  const readElement = async (columns: ReferenceNode, at: At): Promise<ElementRead> => {
    const all = readAll(columns, at);
    // A column that may fail is missing where it does not have a good value, if another column has one.
    const isKept = ({ name, mayFail }: InputPort) =>
      mayFail !== true || (!all.get(name)!.some(isBad) && fits(columns, name, all));
    const kept = { ...columns, inputs: columns.inputs.filter(isKept) };
    const reads = new Map(kept.inputs.map(({ name }) => [name, all.get(name)!]));
    const values = [...reads.values()].flat();
    const isFailed = kept.inputs.length < columns.inputs.length;
    if (values.some(isBad)) {
      return { isFailed: true };
    }
    if (!values.some(isOk)) {
      return { isFailed, isMisfit: isFailed && ![...all.values()].flat().some(isBad) };
    }
    let inputs: NodeInputs | undefined;
    await attempt([], async () => void (inputs = takeInputs(kept, reads)));
    return inputs === undefined ? { isFailed: true, isMisfit: true } : { isFailed, inputs };
  };

  const runAggregator = async (node: ReferenceNode, at: At, skip: Skip): Promise<Cell> => {
    const { spec, params } = node;
    if (spec.role !== "aggregator") {
      throw new Error(`node "${node.id}" is not an aggregator`);
    }
    const kept = scopes.given.get(node.id)!;
    const indices = indicesOf(kept, at);
    const closed = scopes.joined.get(node.id)!.filter((axis) => !kept.includes(axis));
    if (closed.some((axis) => isAxisAbsent(axis, at))) {
      return { indices, state: "absent" };
    }
    // Inputs that it reads once for each result, like those of any node.
    const columnsOf: ReferenceNode = {
      ...node,
      inputs: node.inputs.filter((port) => port.once !== true),
    };
    const onceOf: ReferenceNode = {
      ...node,
      inputs: node.inputs.filter((port) => port.once === true),
    };
    const onceReads = readAll(onceOf, at);
    if ([...onceReads.values()].flat().some(isBad)) {
      return { indices, state: "blocked" };
    }
    const isMissing = onceOf.inputs.some(
      (port) => port.required !== false && !onceReads.get(port.name)!.some(isOk),
    );
    if (isMissing) {
      return { indices, state: "absent" };
    }
    let once = new NodeInputs(new Map());
    const taking = await attempt(indices, async () => void (once = takeInputs(onceOf, onceReads)));
    if (taking.state === "failed") {
      return taking;
    }
    const list: { inputs: NodeInputs; place: number }[] = [];
    const found: ElementRead[] = [];
    for (const element of elementsOf(closed, at)) {
      const read = await readElement(columnsOf, element);
      if (read.inputs !== undefined) {
        list.push({ inputs: read.inputs, place: found.length });
      }
      found.push(read);
    }
    const lost = found.filter(({ isFailed }) => isFailed).length;
    const gone = found.filter(({ isFailed, inputs }) => isFailed && inputs === undefined).length;
    const mismatched = found.filter(({ isMisfit }) => isMisfit).length;
    if (lost > 0 && list.length === 0) {
      // A mismatch is this node's own failure: as blocked alone, the run could end without a failed cell.
      return mismatched > 0
        ? { indices, state: "failed", code: "TYPE_MISMATCH" }
        : { indices, state: "blocked" };
    }
    if (lost > 0 && spec.onFailedItems(params) === "fail") {
      return { indices, state: "failed", code: ITEMS_FAILED };
    }
    skip(lost, gone + list.length);
    return attempt(indices, async () => {
      if (spec.placement === "task") {
        return referenceCombine(node, { elements: list, failed: lost }, once, request);
      }
      const fold = spec.aggregate(params, once);
      for (const { inputs } of list) {
        fold.add(inputs);
      }
      return { outputs: fold.finish() };
    });
  };

  const readsOf = (node: ReferenceNode, at: At): Pick<ReferenceElement, "reads" | "feeders"> => {
    const kept = scopes.given.get(node.id)!;
    const closed =
      node.spec.role === "aggregator"
        ? scopes.joined.get(node.id)!.filter((axis) => !kept.includes(axis))
        : [];
    const elements = [...elementsOf(closed, at)];
    const portsAt = (isOnce: boolean, places: readonly At[]) => {
      const some = {
        ...node,
        inputs: node.inputs.filter(({ once }) => (once === true) === isOnce),
      };
      return places.map((place) => ({ place, reads: readAll(some, place) }));
    };
    const each = [...portsAt(true, [at]), ...portsAt(false, elements)];
    return {
      reads: each.map(({ reads }) => reads),
      feeders: each.flatMap(({ place, reads }) =>
        [...reads.keys()].flatMap((port) =>
          (node.feeds.get(port) ?? []).map((feed) => ({
            node: feed.node,
            indices: indicesOf(tables.get(feed.node)!.scope, place),
          })),
        ),
      ),
    };
  };

  const isOverLimit = (count: Iterable<unknown>): boolean => {
    let counted = 0;
    for (const _ of count) {
      counted += 1;
      if (counted > iterationLimit) {
        return true;
      }
    }
    return false;
  };

  const runNode = async (node: ReferenceNode, table: Table): Promise<void> => {
    if (isOverLimit(elementsOf(scopes.joined.get(node.id)!, new Map()))) {
      const sources = [...node.feeds.values()].flat();
      const isBlocked = sources.some((source) => tables.get(source.node)!.whole !== undefined);
      table.whole = isBlocked ? { indices: [], state: "blocked" } : OVER_LIMIT;
      return;
    }
    let skipped = 0;
    let counted = 0;
    for (const at of elementsOf(table.scope, new Map())) {
      const indices = indicesOf(table.scope, at);
      const cell = await runOne(node, at, (failed, of) => {
        skipped += failed;
        counted += of;
      });
      table.cells.set(keyOf(indices), cell);
      request.onElement?.({ node, indices, state: cell.state, ...readsOf(node, at) });
    }
    if (skipped > 0) {
      warnings.push({ code: ITEMS_SKIPPED, node_id: node.id, skipped, of: counted });
    }
    if (node.opensAxis && isOverLimit(elementsOf(scopes.given.get(node.id)!, new Map()))) {
      table.whole = OVER_LIMIT;
    }
  };

  const runOne = async (node: ReferenceNode, at: At, skip: Skip): Promise<Cell> => {
    switch (node.spec.role) {
      case "input":
        return runInput(node);
      case "enumerator":
        return runCell(node, at, async (inputs) =>
          referenceEnumerate(node, inputs, iterationLimit),
        );
      case "aggregator":
        return runAggregator(node, at, skip);
      case "merge":
        return runMerge(node, at);
      default:
        return runCell(node, at, (inputs) => referenceTransform(node, inputs, request));
    }
  };

  for (const id of scopes.topological) {
    const node = nodes.get(id)!;
    const table: Table = {
      scope: node.spec.role === "aggregator" ? scopes.given.get(id)! : scopes.joined.get(id)!,
      cells: new Map(),
    };
    tables.set(id, table);
    await runNode(node, table);
  }
  return summariseReference(nodes, scopes, tables, warnings, (axis) =>
    isAxisAbsent(axis, new Map()),
  );
}

const OVER_LIMIT: Cell = { indices: [], state: "failed", code: "ITERATION_LIMIT_EXCEEDED" };

function indicesOf(scope: readonly string[], at: At): number[] {
  return scope.map((axis) => at.get(axis)!);
}

function keyOf(indices: readonly number[]): string {
  return indices.join(",");
}

function isOk(read: Read): boolean {
  return read.state === "ok";
}

function isBad(read: Read): boolean {
  return read.state === "failed" || read.state === "blocked";
}
