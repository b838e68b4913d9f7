import type { ExpressionNode } from "./expression-ast.ts";

/** Calls `visit` on a node and all below it, left to right. Depth is bounded by the parser. */
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

/** The variables of an expression, each once, in order of first use. */
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
 * What an expression gives, as far as its form tells: a comparison, logic or boolean literal is a
 * boolean; a bare variable or field could be either and counts as a number (nodes: `utility/calculate`
 * allows booleans where the expression is a comparison); an `if` whose branches differ is `either`.
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
