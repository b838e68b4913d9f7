import { type Template, TokenizationError } from "liquidjs";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { canonicalDecimal } from "../lib/canonical-decimal.ts";
import {
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  numberToken,
  stringifyJson,
} from "../lib/exact-json.ts";
import { NodeError } from "../lib/node-error.ts";
import type { VariableLookup } from "./evaluate-expression.ts";
import { FormulaSyntaxError } from "./formula-syntax-error.ts";
import { AS_TEXT_FILTER, isListFilter, isTextFilter, textFormulaLiquid } from "./text-filters.ts";
import { type FormulaToken, textFormulaTokens } from "./text-formula-tokens.ts";
import { LIMITS } from "../lib/limits-table.ts";

export const TEXT_FORMULA_LENGTH_MAX = LIMITS.expression.value;

export interface CompiledTextFormula {
  /** Root variables without duplicates, in order of first use. */
  readonly variables: readonly string[];
  /** Throws NodeError `FORMULA_ERROR`. */
  render(lookup: VariableLookup): string;
}

/** A field that the formula reads, bound to a generated name for Liquid. */
interface Binding {
  readonly path: readonly string[];
  readonly isOptional: boolean;
  /** A list filter reads the field: a list stays a list and is not converted to text first. */
  isListInput: boolean;
}

type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "field"; readonly binding: Binding }
  | {
      readonly kind: "liquid";
      readonly templates: Template[];
      readonly bindings: ReadonlyMap<string, Binding>;
      readonly texts: ReadonlyMap<string, string>;
    };

const LITERALS: ReadonlySet<string> = new Set(["true", "false", "nil", "null", "empty", "blank"]);

const compiled = new BoundedCache<string, CompiledTextFormula>(256);

/**
 * Compiles a text formula (docs/contract/formulas.md#text-formulas): text with `{{ … }}` outputs.
 * An output consists of operands joined by `+`, then filters, which apply to the whole joined text:
 * `{{ first + " " + last | upper }}`. Liquid has no `+`, so each output is parsed here and
 * rewritten with `append`. Fields and quoted texts are bound to generated names, so that Liquid
 * receives only filter names and numbers from the author. Every field is converted to text when it
 * is read. Throws FormulaSyntaxError.
 */
export function compileTextFormula(source: string): CompiledTextFormula {
  return compiled.getOrMake(source, () => {
    const segments = readSegments(source);
    const bindings = segments.flatMap((segment) =>
      segment.kind === "field"
        ? [segment.binding]
        : segment.kind === "liquid"
          ? [...segment.bindings.values()]
          : [],
    );
    return {
      variables: [...new Set(bindings.map(({ path }) => path[0] ?? ""))],
      render: (lookup) => segments.map((segment) => renderSegment(segment, lookup)).join(""),
    };
  });
}

function readSegments(source: string): readonly Segment[] {
  if (source.length > TEXT_FORMULA_LENGTH_MAX) {
    throw new FormulaSyntaxError(
      `The formula has ${source.length} characters and must not have more than ${TEXT_FORMULA_LENGTH_MAX}; the limit is exceeded`,
      source.slice(0, TEXT_FORMULA_LENGTH_MAX),
      TEXT_FORMULA_LENGTH_MAX,
    );
  }
  const tag = source.indexOf("{%");
  if (tag !== -1) {
    throw new FormulaSyntaxError(
      "A text formula has no {% tags %}, only {{ outputs }}",
      source,
      tag,
    );
  }
  const segments: Segment[] = [];
  let at = 0;
  let trimNext = false;
  for (;;) {
    const open = source.indexOf("{{", at);
    let text = source.slice(at, open === -1 ? undefined : open);
    text = trimNext ? text.trimStart() : text;
    const trimBefore = open !== -1 && source[open + 2] === "-";
    text = trimBefore ? text.trimEnd() : text;
    if (text !== "") {
      segments.push({ kind: "literal", text });
    }
    if (open === -1) {
      return segments;
    }
    const close = endOfOutput(source, open + 2);
    trimNext = source[close - 1] === "-";
    const from = open + (trimBefore ? 3 : 2);
    segments.push(readOutput(source, from, Math.max(from, trimNext ? close - 1 : close)));
    at = close + 2;
  }
}

/** The offset of the `}}` that closes an output; quoted text is skipped. */
function endOfOutput(source: string, from: number): number {
  let quote = "";
  for (let at = from; at < source.length; at += 1) {
    const character = source[at] ?? "";
    if (quote !== "") {
      if (character === "\\") {
        at += 1;
      } else if (character === quote) {
        quote = "";
      }
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (source.startsWith("}}", at)) {
      return at;
    }
  }
  throw new FormulaSyntaxError("{{ is not closed by }}", source, from - 2);
}

function readOutput(source: string, from: number, to: number): Segment {
  return new OutputReader(source, textFormulaTokens(source, from, to)).read();
}

class OutputReader {
  readonly #source: string;
  readonly #tokens: readonly FormulaToken[];
  readonly #bindings = new Map<string, Binding>();
  readonly #texts = new Map<string, string>();
  #position = 0;

  constructor(source: string, tokens: readonly FormulaToken[]) {
    this.#source = source;
    this.#tokens = tokens;
  }

  read(): Segment {
    const start = this.#peek().at;
    let rewritten = this.#operand(false);
    const [first] = this.#bindings.values();
    const isAlone = first !== undefined && rewritten === "v0" && !this.#isSymbol("+");
    while (this.#takes("+")) {
      rewritten += ` | append: ${this.#operand(false)}`;
    }
    const hasFilters = this.#isSymbol("|");
    const filters: string[] = [];
    while (this.#takes("|")) {
      filters.push(this.#peek().text);
      rewritten += ` | ${this.#filter()}`;
    }
    if (isAlone && isListFilter(filters.find((name) => name !== "default") ?? "")) {
      first.isListInput = true;
    }
    // A final value that is a list becomes JSON text, as lists do elsewhere.
    rewritten += hasFilters ? ` | ${AS_TEXT_FILTER}` : "";
    if (this.#peek().kind !== "end") {
      const hint = this.#isSymbol("+") ? "; join texts before the first filter" : "";
      throw this.#unexpected(`"|" or "}}" is expected${hint}`);
    }
    const [only] = this.#bindings.values();
    if (!hasFilters && only !== undefined && rewritten === "v0") {
      return { kind: "field", binding: only };
    }
    try {
      return {
        kind: "liquid",
        templates: textFormulaLiquid().parse(`{{ ${rewritten} }}`),
        bindings: this.#bindings,
        texts: this.#texts,
      };
    } catch (error) {
      if (error instanceof TokenizationError || error instanceof Error) {
        throw new FormulaSyntaxError(
          "This output cannot be read as a text formula",
          this.#source,
          start,
        );
      }
      throw error;
    }
  }

  #peek(): FormulaToken {
    return this.#tokens[this.#position] as FormulaToken;
  }

  #isSymbol(text: string): boolean {
    const token = this.#peek();
    return token.kind === "symbol" && token.text === text;
  }

  #takes(text: string): boolean {
    const found = this.#isSymbol(text);
    this.#position += found ? 1 : 0;
    return found;
  }

  #unexpected(expected: string): FormulaSyntaxError {
    const token = this.#peek();
    const what = token.kind === "end" ? "end of the output" : JSON.stringify(token.text);
    return new FormulaSyntaxError(`Unexpected ${what}; ${expected}`, this.#source, token.at);
  }

  /** A field, a quoted text, a number or a literal, as Liquid text. */
  #operand(isArgument: boolean): string {
    const token = this.#peek();
    if (token.kind === "text") {
      this.#position += 1;
      return this.#bindText(token.text);
    }
    if (token.kind === "number") {
      this.#position += 1;
      // As an argument (`slice: 0, 3`) a number counts; as an operand it is text like all values.
      return isArgument ? token.text : this.#bindText(token.text);
    }
    if (token.kind === "name" && LITERALS.has(token.text)) {
      this.#position += 1;
      return token.text;
    }
    if (token.kind === "name" || this.#isSymbol("[")) {
      return this.#field();
    }
    throw this.#unexpected("a field or a quoted text is expected");
  }

  #bindText(text: string): string {
    const name = `t${this.#texts.size}`;
    this.#texts.set(name, text);
    return name;
  }

  #field(): string {
    const path: string[] = [];
    if (this.#isSymbol("[")) {
      path.push(this.#bracketed());
    } else {
      path.push(this.#peek().text);
      this.#position += 1;
    }
    for (;;) {
      if (this.#takes(".")) {
        const token = this.#peek();
        if (token.kind !== "name") {
          throw this.#unexpected("a field name is expected after the dot");
        }
        path.push(token.text);
        this.#position += 1;
      } else if (this.#isSymbol("[")) {
        path.push(this.#bracketed());
      } else {
        break;
      }
    }
    const after = this.#tokens[this.#position + 1];
    // With `{{ nick | default: "friend" }}` an author declares that a field may be missing.
    const isOptional = this.#isSymbol("|") && after?.kind === "name" && after.text === "default";
    const name = `v${this.#bindings.size}`;
    this.#bindings.set(name, { path, isOptional, isListInput: false });
    return name;
  }

  #bracketed(): string {
    this.#position += 1;
    const token = this.#peek();
    if (token.kind !== "text") {
      throw this.#unexpected('a quoted field name is expected, as in ["unit price"]');
    }
    this.#position += 1;
    if (!this.#takes("]")) {
      throw this.#unexpected('"]" is expected');
    }
    return token.text;
  }

  #filter(): string {
    const token = this.#peek();
    if (token.kind !== "name") {
      throw this.#unexpected("a filter is expected");
    }
    if (!isTextFilter(token.text)) {
      throw new FormulaSyntaxError(`There is no filter "${token.text}"`, this.#source, token.at);
    }
    this.#position += 1;
    let rewritten = token.text;
    if (this.#takes(":")) {
      const before = this.#bindings.size;
      const args = [this.#argument()];
      while (this.#takes(",")) {
        args.push(this.#argument());
      }
      for (const binding of [...this.#bindings.values()].slice(before)) {
        binding.isListInput = token.text === "concat";
      }
      rewritten += `: ${args.join(", ")}`;
    }
    return rewritten;
  }

  #argument(): string {
    const token = this.#peek();
    const after = this.#tokens[this.#position + 1];
    if (token.kind === "name" && after?.kind === "symbol" && after.text === ":") {
      if (token.text !== "allow_false") {
        throw this.#unexpected("allow_false is the only named argument");
      }
      this.#position += 2;
      return `allow_false: ${this.#operand(true)}`;
    }
    return this.#operand(true);
  }
}

function renderSegment(segment: Segment, lookup: VariableLookup): string {
  if (segment.kind === "literal") {
    return segment.text;
  }
  if (segment.kind === "field") {
    return fieldText(segment.binding, lookup) ?? "";
  }
  const scope: Record<string, unknown> = Object.fromEntries(segment.texts);
  for (const [name, binding] of segment.bindings) {
    const value = fieldValue(binding, lookup);
    scope[name] =
      value === undefined
        ? undefined
        : binding.isListInput && Array.isArray(value)
          ? (value as readonly JsonValue[]).map(listElement)
          : textOf(value);
  }
  try {
    return String(textFormulaLiquid().renderSync(segment.templates, scope));
  } catch (error) {
    throw formulaError(error);
  }
}

function formulaError(error: unknown): NodeError {
  const original = (error as { originalError?: unknown }).originalError ?? error;
  if (original instanceof NodeError) {
    return original;
  }
  const limit = original instanceof Error && /limit exceeded/.test(original.message);
  return new NodeError(
    "FORMULA_ERROR",
    limit
      ? "The formula creates too much text."
      : "A filter of the formula cannot work on this value.",
    { cause: error },
  );
}

function fieldText(binding: Binding, lookup: VariableLookup): string | undefined {
  const value = fieldValue(binding, lookup);
  return value === undefined ? undefined : textOf(value);
}

/** A field; undefined if it is missing and may be missing. Own properties only. */
function fieldValue({ path, isOptional }: Binding, lookup: VariableLookup): JsonValue | undefined {
  const [root = "", ...rest] = path;
  let value = lookup(root);
  for (const name of rest) {
    value =
      value !== undefined && isJsonObject(value) && Object.hasOwn(value, name)
        ? value[name]
        : undefined;
  }
  if (value === undefined && !isOptional) {
    throw new NodeError("FORMULA_ERROR", `There is no field "${path.join(".")}"`);
  }
  return value;
}

/**
 * An element of a list as Liquid's filters receive it: a number if a double has the same text, so
 * that `sort` compares numbers, else text.
 */
function listElement(value: JsonValue): unknown {
  if (isJsonNumber(value)) {
    const text = canonicalDecimal(numberToken(value));
    return String(Number(text)) === text ? Number(text) : text;
  }
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map(listElement);
  }
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, listElement(inner)]))
    : value;
}

/** A JSON value as text: null is empty, numbers are canonical, lists and objects are JSON. */
function textOf(value: JsonValue): string {
  if (typeof value === "string") {
    return value;
  }
  if (value === null) {
    return "";
  }
  return isJsonNumber(value) ? canonicalDecimal(numberToken(value)) : stringifyJson(value);
}
