import type { ExactNumber } from "../lib/json/exact-json.ts";

export type ArithmeticOperator = "+" | "-" | "*" | "/";
export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=";

/**
 * `at` is a 0-based offset in UTF-16 units; messages convert it to a 1-based character position.
 */
export type ExpressionNode =
  | {
      readonly kind: "literal";
      readonly value: number | ExactNumber | boolean;
      readonly at: number;
    }
  | { readonly kind: "variable"; readonly name: string; readonly at: number }
  | {
      readonly kind: "field";
      readonly base: ExpressionNode;
      readonly names: readonly { readonly name: string; readonly at: number }[];
      readonly at: number;
    }
  | { readonly kind: "negate"; readonly operand: ExpressionNode; readonly at: number }
  | { readonly kind: "plus"; readonly operand: ExpressionNode; readonly at: number }
  | { readonly kind: "not"; readonly operand: ExpressionNode; readonly at: number }
  | {
      // One node for a whole sequence `a + b - c`, so that depth means nesting and not length.
      readonly kind: "chain";
      readonly first: ExpressionNode;
      readonly rest: readonly {
        readonly operator: ArithmeticOperator;
        readonly right: ExpressionNode;
        readonly at: number;
      }[];
      readonly at: number;
    }
  | {
      readonly kind: "logic";
      readonly operator: "and" | "or";
      readonly operands: readonly ExpressionNode[];
      readonly at: number;
    }
  | {
      readonly kind: "compare";
      readonly operator: CompareOperator;
      readonly left: ExpressionNode;
      readonly right: ExpressionNode;
      readonly at: number;
    }
  | {
      readonly kind: "call";
      readonly name: FunctionName;
      readonly args: readonly ExpressionNode[];
      readonly at: number;
    };

/** Functions and their numbers of arguments. */
export const FUNCTIONS = {
  round: { min: 1, max: 2 },
  floor: { min: 1, max: 1 },
  ceil: { min: 1, max: 1 },
  abs: { min: 1, max: 1 },
  min: { min: 1, max: 1000 },
  max: { min: 1, max: 1000 },
  sum: { min: 1, max: 1000 },
  count: { min: 1, max: 1000 },
  avg: { min: 1, max: 1000 },
  if: { min: 3, max: 3 },
} as const;

export type FunctionName = keyof typeof FUNCTIONS;

export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name);
}
