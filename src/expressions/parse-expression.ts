import { ExactNumber } from "../lib/json/exact-json.ts";
import {
  type ArithmeticOperator,
  type CompareOperator,
  type ExpressionNode,
  FUNCTIONS,
  isFunctionName,
} from "./expression-ast.ts";
import { FormulaSyntaxError } from "./formula-syntax-error.ts";
import { type Token, tokenizeExpression } from "./tokenize-expression.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

/** Longer expressions are generated or hostile and are rejected before parsing. */
export const EXPRESSION_LENGTH_MAX = LIMITS.expression.value;
const DEPTH_MAX = LIMITS.expression_depth.value;

// Binding powers, lowest first.
const OR = 1;
const AND = 2;
const NOT = 3;
const COMPARE = 4;
const ADD = 5;
const MULTIPLY = 6;
const PREFIX = 7;

const INFIX: ReadonlyMap<string, number> = new Map([
  ["or", OR],
  ["and", AND],
  ["==", COMPARE],
  ["!=", COMPARE],
  ["<", COMPARE],
  ["<=", COMPARE],
  [">", COMPARE],
  [">=", COMPARE],
  ["+", ADD],
  ["-", ADD],
  ["*", MULTIPLY],
  ["/", MULTIPLY],
]);

/**
 * `names`: variables are plain names and function names are reserved, because each variable becomes
 * a port (`utility/calculate`). `columns`: variables are columns of a row; any column can be named
 * as `["Unit Price"]`, and a function's name without a parenthesis after it is also a column.
 */
export type ExpressionDialect = "names" | "columns";

/**
 * Parses a calculate expression. Linear in its length. Throws FormulaSyntaxError with the 1-based
 * character position.
 */
export function parseExpression(
  source: string,
  dialect: ExpressionDialect = "names",
): ExpressionNode {
  if (source.length > EXPRESSION_LENGTH_MAX) {
    throw new FormulaSyntaxError(
      `The expression has ${source.length} characters and must not have more than ${EXPRESSION_LENGTH_MAX}; the limit is exceeded`,
      source.slice(0, EXPRESSION_LENGTH_MAX),
      EXPRESSION_LENGTH_MAX,
    );
  }
  return new Parser(source, dialect).whole();
}

class Parser {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly #dialect: ExpressionDialect;
  #position = 0;
  #depth = 0;

  constructor(source: string, dialect: ExpressionDialect) {
    this.#source = source;
    this.#dialect = dialect;
    this.#tokens = tokenizeExpression(source, dialect === "columns");
  }

  whole(): ExpressionNode {
    if (this.#peek().kind === "end") {
      throw new FormulaSyntaxError("The expression is empty; a value is expected", this.#source, 0);
    }
    const node = this.#expression(0);
    if (this.#peek().kind !== "end") {
      throw this.#unexpected(this.#peek(), "an operator or the end is expected");
    }
    return node;
  }

  #peek(): Token {
    // The last token is always `end`, and the position never moves past it.
    return this.#tokens[this.#position] as Token;
  }

  #next(): Token {
    const token = this.#peek();
    if (token.kind !== "end") {
      this.#position += 1;
    }
    return token;
  }

  #unexpected(token: Token, expected: string): FormulaSyntaxError {
    const what =
      token.kind === "end"
        ? "end"
        : token.kind === "quoted"
          ? `[${JSON.stringify(token.text)}]`
          : JSON.stringify(token.text);
    return new FormulaSyntaxError(`Unexpected ${what}; ${expected}`, this.#source, token.at);
  }

  #isSymbol(text: string): boolean {
    const token = this.#peek();
    return token.kind === "symbol" && token.text === text;
  }

  #expect(text: string): void {
    if (!this.#isSymbol(text)) {
      throw this.#unexpected(this.#peek(), `"${text}" is expected`);
    }
    this.#position += 1;
  }

  #infixPower(token: Token): number {
    return token.kind === "symbol" || token.kind === "name" ? (INFIX.get(token.text) ?? 0) : 0;
  }

  #expression(power: number): ExpressionNode {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) {
      throw new FormulaSyntaxError(
        `The expression nests deeper than ${DEPTH_MAX} levels; split it into two nodes; the limit is exceeded`,
        this.#source,
        this.#peek().at,
      );
    }
    let left = this.#prefix();
    for (;;) {
      const operator = this.#peek();
      const binding = this.#infixPower(operator);
      if (binding === 0 || binding <= power) {
        break;
      }
      left = this.#infix(left, binding);
    }
    this.#depth -= 1;
    return left;
  }

  #infix(left: ExpressionNode, binding: number): ExpressionNode {
    const first = this.#peek();
    if (binding === COMPARE) {
      this.#position += 1;
      const right = this.#expression(COMPARE);
      const after = this.#peek();
      if (this.#infixPower(after) === COMPARE) {
        throw this.#unexpected(after, "comparisons cannot be chained; join them with `and`");
      }
      return {
        kind: "compare",
        operator: first.text as CompareOperator,
        left,
        right,
        at: first.at,
      };
    }
    if (binding === AND || binding === OR) {
      const operands = [left];
      while (this.#infixPower(this.#peek()) === binding) {
        this.#position += 1;
        operands.push(this.#expression(binding));
      }
      return { kind: "logic", operator: binding === AND ? "and" : "or", operands, at: first.at };
    }
    const rest: { operator: ArithmeticOperator; right: ExpressionNode; at: number }[] = [];
    while (this.#infixPower(this.#peek()) === binding) {
      const operator = this.#next();
      const right = this.#expression(binding);
      rest.push({ operator: operator.text as ArithmeticOperator, right, at: operator.at });
    }
    return { kind: "chain", first: left, rest, at: first.at };
  }

  #prefix(): ExpressionNode {
    const token = this.#next();
    if (token.kind === "number") {
      return { kind: "literal", value: this.#number(token), at: token.at };
    }
    if (token.kind === "name") {
      return this.#named(token);
    }
    if (token.kind === "quoted") {
      return this.#fields({ kind: "variable", name: token.text, at: token.at });
    }
    if (token.kind === "symbol") {
      switch (token.text) {
        case "-":
          return { kind: "negate", operand: this.#expression(PREFIX), at: token.at };
        case "+":
          return { kind: "plus", operand: this.#expression(PREFIX), at: token.at };
        case "(": {
          const inner = this.#expression(0);
          this.#expect(")");
          return this.#fields(inner);
        }
        default:
      }
    }
    throw this.#unexpected(token, "a value is expected");
  }

  #number(token: Token): number | ExactNumber {
    // A number stays a token until it is used: `1e5000` parses, and overflows in the run.
    return /^\d{1,15}$/.test(token.text) ? Number(token.text) : new ExactNumber(token.text);
  }

  #named(token: Token): ExpressionNode {
    const name = token.text;
    if (name === "true" || name === "false") {
      return { kind: "literal", value: name === "true", at: token.at };
    }
    if (name === "not") {
      return { kind: "not", operand: this.#expression(NOT), at: token.at };
    }
    if (name === "and" || name === "or") {
      throw this.#unexpected(token, "a value is expected");
    }
    const isColumn = this.#dialect === "columns" && !this.#isSymbol("(");
    if (isFunctionName(name) && !isColumn) {
      if (!this.#isSymbol("(")) {
        throw new FormulaSyntaxError(
          `"${name}" is a function and cannot be a variable; write ${name}(…)`,
          this.#source,
          token.at,
        );
      }
      return this.#fields({ kind: "call", name, args: this.#args(name, token.at), at: token.at });
    }
    if (this.#isSymbol("(")) {
      throw new FormulaSyntaxError(
        `There is no function "${name}"; available functions: ${Object.keys(FUNCTIONS).join(", ")}`,
        this.#source,
        token.at,
      );
    }
    return this.#fields({ kind: "variable", name, at: token.at });
  }

  #args(name: keyof typeof FUNCTIONS, at: number): readonly ExpressionNode[] {
    const args: ExpressionNode[] = [];
    this.#expect("(");
    if (!this.#isSymbol(")")) {
      args.push(this.#expression(0));
      while (this.#isSymbol(",")) {
        this.#position += 1;
        args.push(this.#expression(0));
      }
    }
    this.#expect(")");
    const { min, max } = FUNCTIONS[name];
    if (args.length < min || args.length > max) {
      const count = min === max ? `${min}` : `${min} to ${max}`;
      throw new FormulaSyntaxError(
        `${name}() takes ${count} argument${max === 1 ? "" : "s"} and has ${args.length}`,
        this.#source,
        at,
      );
    }
    return args;
  }

  #fields(base: ExpressionNode): ExpressionNode {
    const names: { name: string; at: number }[] = [];
    while (this.#isSymbol(".") || this.#peek().kind === "quoted") {
      if (this.#peek().kind === "quoted") {
        const { text: name, at } = this.#next();
        names.push({ name, at });
        continue;
      }
      this.#position += 1;
      const token = this.#next();
      // After a dot every name is plain data, including `if` and `constructor`.
      if (token.kind !== "name") {
        throw this.#unexpected(token, "a field name is expected after the dot");
      }
      names.push({ name: token.text, at: token.at });
    }
    return names.length === 0 ? base : { kind: "field", base, names, at: base.at };
  }
}
