import { FormulaSyntaxError } from "./formula-syntax-error.ts";

export interface Token {
  readonly kind: "number" | "name" | "symbol" | "end";
  readonly text: string;
  /** 0-based offset in UTF-16 units. */
  readonly at: number;
}

const SPACE = /[ \t\r\n]+/y;
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const NAME = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*/uy;
const SYMBOL = /==|!=|<=|>=|[-+*/()<>,.]/y;

const MENDS: ReadonlyMap<string, string> = new Map([
  ["=", "; write == to compare"],
  ["!", "; write `not` or !="],
  ["&", "; write `and`"],
  ["|", "; write `or`"],
  ["%", "; there is no remainder operator"],
  ["^", "; there is no power operator"],
  ["'", "; an expression has no text values"],
  ['"', "; an expression has no text values"],
  ["[", "; fields are written after a dot, as in sum(items.price)"],
]);

function take(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

/** Splits an expression into tokens, in linear time. Throws FormulaSyntaxError. */
export function tokenizeExpression(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const space = take(SPACE, source, at);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const [kind, text] = nextToken(source, at);
    if (kind === "number" && take(NAME, source, at + text.length) !== undefined) {
      throw new FormulaSyntaxError(
        "A number runs into a name; put an operator between them",
        source,
        at + text.length,
      );
    }
    tokens.push({ kind, text, at });
    at += text.length;
  }
  tokens.push({ kind: "end", text: "", at: source.length });
  return tokens;
}

function nextToken(source: string, at: number): ["number" | "name" | "symbol", string] {
  const number = take(NUMBER, source, at);
  if (number !== undefined) {
    return ["number", number];
  }
  const name = take(NAME, source, at);
  if (name !== undefined) {
    return ["name", name];
  }
  const symbol = take(SYMBOL, source, at);
  if (symbol !== undefined) {
    return ["symbol", symbol];
  }
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  throw new FormulaSyntaxError(
    `Unexpected ${JSON.stringify(character)}${MENDS.get(character) ?? ""}`,
    source,
    at,
  );
}
