import type { ExpressionNode } from "./expression-ast.ts";

/** Calls `visit` for a node and all its descendants, left to right. The parser bounds the depth. */
function walk(node: ExpressionNode, visit: (node: ExpressionNode) => void): void {
  visit(node);
  switch (node.kind) {
    case "literal":
    case "variable":
      return;
    case "field":
      walk(node.base, visit);
      return;
    case "negate":
    case "plus":
    case "not":
      walk(node.operand, visit);
      return;
    case "chain":
      walk(node.first, visit);
      for (const { right } of node.rest) {
        walk(right, visit);
      }
      return;
    case "logic":
      for (const operand of node.operands) {
        walk(operand, visit);
      }
      return;
    case "compare":
      walk(node.left, visit);
      walk(node.right, visit);
      return;
    case "call":
      for (const arg of node.args) {
        walk(arg, visit);
      }
  }
}

/** The variables of an expression without duplicates, in order of first use. */
export function expressionVariables(root: ExpressionNode): readonly string[] {
  const names = new Set<string>();
  walk(root, (node) => {
    if (node.kind === "variable") {
      names.add(node.name);
    }
  });
  return [...names];
}

/**
 * The type of an expression's result, derived from its form: a comparison, logic or a boolean
 * literal is a boolean; a bare variable or field could be either and counts as a number
 * (`utility/calculate` allows booleans only for comparisons); an `if` with branches of different
 * types is `either`.
 */
export function expressionKind(node: ExpressionNode): "number" | "boolean" | "either" {
  switch (node.kind) {
    case "literal":
      return typeof node.value === "boolean" ? "boolean" : "number";
    case "not":
    case "logic":
    case "compare":
      return "boolean";
    case "call": {
      const [, whenTrue, whenFalse] = node.args;
      if (node.name !== "if" || whenTrue === undefined || whenFalse === undefined) {
        return "number";
      }
      const kind = expressionKind(whenTrue);
      return kind === expressionKind(whenFalse) ? kind : "either";
    }
    case "variable":
    case "field":
    case "negate":
    case "plus":
    case "chain":
      return "number";
  }
}
