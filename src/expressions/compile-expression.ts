import { BoundedCache } from "../lib/memory/bounded-cache.ts";
import type { ExactNumber } from "../lib/json/exact-json.ts";
import { evaluateExpression, type VariableLookup } from "./evaluate-expression.ts";
import { expressionKind, expressionVariables } from "./expression-metadata.ts";
import { type ExpressionDialect, parseExpression } from "./parse-expression.ts";

export interface CompiledExpression {
  /** Variable names without duplicates, in order of first use. */
  readonly variables: readonly string[];
  readonly kind: "number" | "boolean" | "either";
  /** Throws NodeError with a `CALC_*` code. */
  evaluate(lookup: VariableLookup): number | ExactNumber | boolean;
}

const compiled = new BoundedCache<string, CompiledExpression>(256);

/** Parses once and caches the result. Throws FormulaSyntaxError. */
export function compileExpression(
  source: string,
  dialect: ExpressionDialect = "names",
): CompiledExpression {
  return compiled.getOrMake(`${dialect} ${source}`, () => {
    const root = parseExpression(source, dialect);
    return {
      variables: expressionVariables(root),
      kind: expressionKind(root),
      evaluate: (lookup) => evaluateExpression(source, root, lookup),
    };
  });
}
