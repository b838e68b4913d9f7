/**
 * The reference for retries: which elements the rules take over, one element at a time without regard to speed. It
 * shares no code with the engine.
 */
import {
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  numberToken,
} from "../../src/lib/json/exact-json.ts";
import type { InputPort, RunValue } from "../../src/nodes/define-ports.ts";
import type { Rerun } from "../../src/engine/reuse/forced-elements.ts";
import type { Read, ReferenceElement } from "./reference-interpreter.ts";
import { referencePortValue } from "./reference-port-value.ts";

/** Every element of a run by node id and indices, in topological order. */
export type ReferenceElements = ReadonlyMap<string, ReferenceElement>;

/**
 * The elements of `run` that are taken over from a source, each with the element that it is taken from. `isOk` returns
 * whether the source has an element, `isAlways` whether elements of a type are taken from anywhere.
 */
export function referenceReuse(
  run: ReferenceElements,
  source: ReferenceElements,
  isOk: (key: string) => boolean,
  isAlways: (type: string) => boolean,
  rerun: Rerun | undefined,
): Map<string, string> {
  const forced = new Set<string>();
  const reused = new Map<string, string>();
  for (const [key, element] of run) {
    const { node, indices, feeders } = element;
    const isListed =
      node.id === rerun?.node &&
      (rerun.indices?.some((listed) => listed.join() === indices.join()) ?? true);
    if (
      isListed ||
      feeders.some((feeder) => forced.has(referenceKey(feeder.node, feeder.indices)))
    ) {
      forced.add(key);
      continue;
    }
    // An axis that is absent as a whole leaves an aggregate out, which reads nothing, like one of an empty range.
    if (node.spec.role === "input" || element.state !== "ok") {
      continue;
    }
    const wanted = fingerprint(element);
    const isSame = (at: string) => {
      const before = source.get(at);
      return before !== undefined && isOk(at) && fingerprint(before) === wanted;
    };
    const others = isAlways(node.spec.type) ? source.keys() : [];
    const from = [key, ...others].find(isSame);
    if (from !== undefined) {
      reused.set(key, from);
    }
  }
  return reused;
}

export function referenceKey(id: string, indices: readonly number[]): string {
  return `${id}/${indices.join(",")}`;
}

/** What the result of an element depends on, as one text. */
export function fingerprint({ node, reads }: ReferenceElement): string {
  return JSON.stringify([
    node.spec.type,
    node.spec.version,
    textOf(JSON.parse(JSON.stringify(node.params)) as JsonValue),
    // A range without elements has no reads, and still its connections.
    [...node.feeds].map(([port, feeds]) => `${port}:${feeds.length}`).toSorted(),
    reads.map((ports) =>
      [...ports]
        .filter(([, connections]) => connections.length > 0)
        .map(([name, connections]) => {
          const port = node.inputs.find((each) => each.name === name)!;
          return [name, connections.map((read) => received(read, port))];
        })
        .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    ),
  ]);
}

function received({ state, value }: Read, port: InputPort): string {
  if (state !== "ok") {
    return state === "absent" ? "absent" : "bad";
  }
  return textOf(fitted(value!, port));
}

function fitted(value: RunValue, port: InputPort): JsonValue {
  try {
    return referencePortValue(value, port) as JsonValue;
  } catch {
    return value as JsonValue;
  }
}

/** Equal for equal values: numbers of the generated graphs are exact as doubles, or compared by their digits. */
function textOf(value: JsonValue): string {
  if (isJsonNumber(value)) {
    const token = numberToken(value);
    const short = Number(token);
    return Number.isSafeInteger(short) || token.length < 15 ? `${short + 0}` : token;
  }
  if (Array.isArray(value)) {
    return `[${(value as readonly JsonValue[]).map(textOf).join()}]`;
  }
  return isJsonObject(value)
    ? `{${Object.keys(value)
        .toSorted()
        .map((key) => `${JSON.stringify(key)}:${textOf(value[key]!)}`)
        .join()}}`
    : JSON.stringify(value);
}
