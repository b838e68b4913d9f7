import { BoundedCache } from "../lib/memory/bounded-cache.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import type { VariableLookup } from "./evaluate-expression.ts";
import { FormulaSyntaxError } from "./formula-syntax-error.ts";
import { readFormulaOutput } from "./read-formula-output.ts";
import { renderSegment, type Segment } from "./render-text-formula.ts";

export const TEXT_FORMULA_LENGTH_MAX = LIMITS.expression.value;

export interface CompiledTextFormula {
  /** Root variables without duplicates, in order of first use. */
  readonly variables: readonly string[];
  /** Throws NodeError `FORMULA_ERROR`. */
  render(lookup: VariableLookup): string;
}

const compiled = new BoundedCache<string, CompiledTextFormula>(256);

/**
 * Compiles a text formula (docs/contract/formulas.md#text-formulas): text with `{{ … }}` outputs.
 * An output consists of operands joined by `+`, then filters, which apply to the whole joined text:
 * `{{ first + " " + last | upper }}`. Liquid has no `+`, so `readFormulaOutput` parses each output
 * and rewrites it with `append`. Fields and quoted texts are bound to generated names, so that Liquid
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
    segments.push(readFormulaOutput(source, from, Math.max(from, trimNext ? close - 1 : close)));
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
