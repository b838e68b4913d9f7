import type { SvgNode } from "./svg-node.ts";

/** Elements that a selector may name. */
const COMPOUNDS_MAX = 16;

/** What a selector says of one element. */
interface Compound {
  readonly name: string | undefined;
  readonly ids: readonly string[];
  readonly classes: readonly string[];
  readonly attributes: readonly AttributeTest[];
  readonly isFirst: boolean;
  /** Whether it is the parent of the next one, and not any ancestor. */
  readonly isParent: boolean;
}

interface AttributeTest {
  readonly name: string;
  readonly operator: string;
  readonly value: string;
}

/** From the outermost element to the one that it selects. */
export interface Selector {
  readonly compounds: readonly Compound[];
  readonly last: Compound;
  /** Ids, then classes and attributes, then names (CSS Selectors 3 §9). */
  readonly weight: number;
}

const COMPOUND =
  /(\s*>\s*|\s+|^)(\*|[A-Za-z][\w-]*)?((?:[.#][\w-]+|\[[^\]]*\]|:first-child|:root)*)/y;
const PART = /[.#][\w-]+|\[[^\]]*\]|:first-child|:root/g;
const ATTRIBUTE = /^\[\s*([\w:-]+)\s*(?:([~|^$*]?=)\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*)?\]$/;

/**
 * A selector of names, ids, classes, attributes, `:first-child` and `:root`, with the combinators of descendants and
 * children. Undefined for others, which select nothing.
 */
export function parseSelector(text: string): Selector | undefined {
  const compounds: Compound[] = [];
  let weight = 0;
  COMPOUND.lastIndex = 0;
  while (COMPOUND.lastIndex < text.length) {
    const found = COMPOUND.exec(text);
    if (found === null || compounds.length >= COMPOUNDS_MAX) {
      return undefined;
    }
    const [, combinator = "", name, list = ""] = found;
    const compound = compoundOf(name, list);
    const before = compounds.pop();
    if (compound === undefined || (before === undefined && combinator.trim() === ">")) {
      return undefined;
    }
    if (before !== undefined) {
      compounds.push({ ...before, isParent: combinator.trim() === ">" });
    }
    compounds.push(compound);
    weight += weightOf(compound);
  }
  const last = compounds.at(-1);
  return last === undefined ? undefined : { compounds, last, weight };
}

function compoundOf(name: string | undefined, list: string): Compound | undefined {
  const parts: readonly string[] = list.match(PART) ?? [];
  if (name === undefined && parts.length === 0) {
    return undefined;
  }
  const attributes: AttributeTest[] = [];
  for (const part of parts.filter((one) => one.startsWith("["))) {
    const found = ATTRIBUTE.exec(part);
    if (found === null) {
      return undefined;
    }
    const [, attribute = "", operator = "", a, b, c] = found;
    attributes.push({ name: attribute, operator, value: a ?? b ?? c ?? "" });
  }
  const named = (mark: string) =>
    parts.filter((one) => one.startsWith(mark)).map((one) => one.slice(1));
  const isRoot = parts.includes(":root");
  return {
    name: name === "*" ? (isRoot ? "svg" : undefined) : (name ?? (isRoot ? "svg" : undefined)),
    ids: named("#"),
    classes: named("."),
    attributes,
    isFirst: parts.includes(":first-child"),
    isParent: false,
  };
}

function weightOf({ name, ids, classes, attributes, isFirst }: Compound): number {
  const marks = classes.length + attributes.length + (isFirst ? 1 : 0);
  return ids.length * 10_000 + Math.min(99, marks) * 100 + (name === undefined ? 0 : 1);
}

/** Whether an element is selected, in time proportional to its depth. */
export function selects({ compounds, last }: Selector, node: SvgNode): boolean {
  if (!matches(last, node)) {
    return false;
  }
  if (compounds.length === 1) {
    return true;
  }
  const chain: SvgNode[] = [];
  for (let at = node.parent; at !== undefined; at = at.parent) {
    chain.push(at);
  }
  const before = compounds.length - 1;
  // Whether the compounds up to this one match elements from the root down to the one looked at.
  const everMatched = Array.from({ length: before }, () => false);
  let matchedAtParent = [...everMatched];
  for (const ancestor of chain.toReversed()) {
    const matchedHere = [...everMatched].map(() => false);
    for (let i = before - 1; i >= 0; i--) {
      const previous = compounds[i - 1];
      const isReached =
        previous === undefined ||
        (previous.isParent ? matchedAtParent[i - 1] === true : everMatched[i - 1] === true);
      const compound = compounds[i];
      if (isReached && compound !== undefined && matches(compound, ancestor)) {
        matchedHere[i] = true;
      }
    }
    matchedHere.forEach((isMatched, i) => {
      everMatched[i] ||= isMatched;
    });
    matchedAtParent = matchedHere;
  }
  const isParent = compounds[before - 1]?.isParent === true;
  return (isParent ? matchedAtParent : everMatched)[before - 1] === true;
}

function matches({ name, ids, classes, attributes, isFirst }: Compound, node: SvgNode): boolean {
  const { attributes: given, parent } = node;
  if (name !== undefined && name !== node.name) {
    return false;
  }
  if (isFirst && parent !== undefined && parent.children[0] !== node) {
    return false;
  }
  const list = classes.length === 0 ? [] : (given.get("class")?.split(/\s+/) ?? []);
  return (
    ids.every((id) => id === given.get("id")) &&
    classes.every((one) => list.includes(one)) &&
    attributes.every((test) => passes(test, given.get(test.name)))
  );
}

function passes({ operator, value }: AttributeTest, given: string | undefined): boolean {
  if (given === undefined) {
    return false;
  }
  switch (operator) {
    case "":
      return true;
    case "=":
      return given === value;
    case "~=":
      return given.split(/\s+/).includes(value);
    case "|=":
      return given === value || given.startsWith(`${value}-`);
    case "^=":
      return value !== "" && given.startsWith(value);
    case "$=":
      return value !== "" && given.endsWith(value);
    default:
      return value !== "" && given.includes(value);
  }
}
