/** Runs a node on fixed inputs, and gives what it returns as one text. */
import { canonicalJson } from "../../../src/lib/json/canonical-json.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import { sha256HexOfBytes } from "../../../src/lib/sha256.ts";
import { inlineRunOf } from "../../../src/nodes/define-node.ts";
import {
  type AggregatedElements,
  NodeInputs,
  type NodeOutputs,
  type RunValue,
} from "../../../src/nodes/define-ports.ts";
import type { NodeType } from "../../../src/nodes/define-roles.ts";
import { readElements } from "../executor/read-elements.ts";
import { type ResultContext, resultContext } from "./result-context.ts";

/** A file of a case. */
export interface CaseFile {
  readonly file: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

type PortValue = JsonValue | CaseFile;
export type CasePorts = Readonly<Record<string, PortValue | readonly CaseFile[]>>;

/** A node's parameters, and what it is given. */
export interface NodeCase {
  /** Says what the case shows; unique within its node type. */
  readonly name: string;
  readonly params?: JsonValue;
  /** Of transforms, outputs and enumerators; of aggregators the ports that are read once for each result. */
  readonly ports?: CasePorts;
  /** Of aggregators: the columns of each element, in index order. */
  readonly elements?: readonly CasePorts[];
  /** Of inputs: the submitted value. The default is taken if it is omitted. */
  readonly value?: PortValue;
  /** Of `enumerate/data_rows`: a table that `input/data` stores first, for the port `dataset`. */
  readonly table?: CaseFile;
}

/**
 * What a node returns for a case, as canonical JSON: its outputs or elements with the digests of their files, or the code
 * of its failure. Messages are left out: they may be written better under the same version.
 */
export async function canonicalResultOf(type: NodeType, given: NodeCase): Promise<string> {
  const made = resultContext();
  try {
    return canonicalJson(await resultOf(type, given, made));
  } catch (error) {
    if (error instanceof NodeError) {
      return canonicalJson({ failed: error.code });
    }
    throw new Error(`${type.type}, "${given.name}": the case cannot run.`, { cause: error });
  }
}

async function resultOf(type: NodeType, given: NodeCase, made: ResultContext): Promise<JsonValue> {
  const params: unknown = type.params.parse(given.params ?? {});
  const ports = new Map(Object.entries(given.ports ?? {}));
  if (given.table !== undefined) {
    ports.set("dataset", await storedTable(given.table, made));
  }
  const inputs = inputsOf(ports, made);
  switch (type.role) {
    case "merge":
      return { on_failed: type.onFailed(params) };
    case "transform":
    case "output": {
      const placement =
        typeof type.placement === "function" ? type.placement(params) : type.placement;
      return await outputsOf(
        placement === "inline"
          ? // The node's own parameters: `NodeType` leaves their type open.
            await inlineRunOf(type)(made.context, inputs, params as never)
          : await type.run(made.context, inputs, params),
        made,
      );
    }
    case "input":
      return await submittedOf(type, given, params, made);
    case "enumerator":
      return await elementsOf(type, inputs, params, made);
    case "aggregator": {
      const elements = (given.elements ?? []).map((columns) =>
        inputsOf(new Map(Object.entries(columns)), made),
      );
      if (type.placement === "task") {
        const read = elements.map((columns, place) => ({ inputs: columns, place }));
        const all: AggregatedElements = readElements({ elements: read, failed: 0 });
        return await outputsOf(await type.combine(made.context, all, inputs, params), made);
      }
      const folding = type.aggregate(params, inputs);
      for (const columns of elements) {
        folding.add(columns);
      }
      return await outputsOf(folding.finish(), made);
    }
  }
}

/** An input: the value that it accepts, and what it makes of the value. */
async function submittedOf(
  type: Extract<NodeType, { role: "input" }>,
  { value }: NodeCase,
  params: unknown,
  made: ResultContext,
): Promise<JsonValue> {
  const given = value === undefined ? type.defaultValue(params) : valueOf(value, made);
  if (given === undefined) {
    return { absent: true, is_required: type.isRequired(params) };
  }
  // A stored file is found by its path before the node sees it.
  const parsed = given instanceof FileRef ? { value: given } : type.parse(given, params);
  if ("problem" in parsed) {
    return { rejected: true };
  }
  const inputs = new NodeInputs(new Map([["value", parsed.value]]));
  if (type.run !== undefined) {
    return await outputsOf(await type.run(made.context, inputs, params), made);
  }
  return type.enumerate === undefined && type.stream === undefined
    ? { value: await canonicalValue(parsed.value, made) }
    : await elementsOf(type, inputs, params, made);
}

/** The elements that a node opens, their number where the node has one, and the notes about left-out rows. */
async function elementsOf(
  type: Extract<NodeType, { role: "enumerator" | "input" }>,
  inputs: NodeInputs,
  params: unknown,
  made: ResultContext,
): Promise<JsonValue> {
  const streamed = type.stream?.(made.context, inputs, params);
  const given = streamed ?? type.enumerate?.(inputs, params);
  if (given === undefined) {
    throw new Error(`${type.type} has no elements.`);
  }
  const iterator =
    Symbol.asyncIterator in given ? given[Symbol.asyncIterator]() : given[Symbol.iterator]();
  const elements: JsonValue[] = [];
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) {
      const counted = streamed === undefined ? type.countItems?.(inputs, params) : undefined;
      return {
        elements,
        count: counted ?? null,
        // Notes have no member that JSON lacks.
        notes: (next.value as unknown as JsonValue | undefined) ?? null,
      };
    }
    elements.push(await outputsOf(next.value, made));
  }
}

/** The manifest that `input/data` returns for a file. */
async function storedTable({ file, type, bytes }: CaseFile, made: ResultContext) {
  const { manifest } = await made.context.datasets.store(made.add(file, type, bytes), {
    format: "auto",
    headerRow: 1,
    locale: "invariant",
    sampleRows: 20,
    maxRows: null,
    delimiter: null,
    table: null,
    formulaPolicy: "cached_value",
  });
  // A manifest is JSON, as the run stores it.
  return manifest as unknown as JsonValue;
}

function inputsOf(
  ports: ReadonlyMap<string, PortValue | readonly CaseFile[]>,
  made: ResultContext,
): NodeInputs {
  const values = new Map<string, RunValue | readonly RunValue[]>();
  for (const [port, value] of ports) {
    values.set(
      port,
      isFiles(value) ? value.map((each) => valueOf(each, made)) : valueOf(value, made),
    );
  }
  return new NodeInputs(values);
}

function valueOf(value: PortValue, made: ResultContext): RunValue {
  return isFile(value) ? made.add(value.file, value.type, value.bytes) : value;
}

function isFile(value: unknown): value is CaseFile {
  return typeof value === "object" && value !== null && "bytes" in value && "file" in value;
}

function isFiles(value: unknown): value is readonly CaseFile[] {
  return Array.isArray(value) && value.length > 0 && value.every(isFile);
}

async function outputsOf(outputs: NodeOutputs, made: ResultContext): Promise<JsonValue> {
  const entries: [string, JsonValue][] = [];
  for (const [port, value] of outputs) {
    entries.push([port, await canonicalValue(value, made)]);
  }
  return Object.fromEntries(entries);
}

/** A file is what a reader of the result gets: its name, its type and its bytes. */
async function canonicalValue(value: RunValue, made: ResultContext): Promise<JsonValue> {
  if (!(value instanceof FileRef)) {
    return value;
  }
  const sha256 = await sha256HexOfBytes(made.bytesOf(value));
  return { file: value.name, content_type: value.contentType, sha256 };
}
