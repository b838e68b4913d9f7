import { FormulaSyntaxError } from "./formula-syntax-error.ts";
import { ESCAPES } from "./text-formula-tokens.ts";

export interface Token {
  /**
   * `quoted`: a name in quotes and brackets, `["Unit Price"]`, allowed only in formulas of columns.
   */
  readonly kind: "number" | "name" | "quoted" | "symbol" | "end";
  /** The source text; for a quoted name, the name itself. */
  readonly text: string;
  /** 0-based offset in UTF-16 units. */
  readonly at: number;
}

const SPACE = /[ \t\r\n]+/y;
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const NAME = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*/uy;
const SYMBOL = /==|!=|<=|>=|[-+*/()<>,.]/y;

const REMEDIES: ReadonlyMap<string, string> = new Map([
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

const QUOTED = /\[[ \t\r\n]*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')[ \t\r\n]*\]/suy;

function take(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

/**
 * Splits an expression into tokens, in linear time. `quotesNames`: columns may be named in quotes
 * and brackets. Throws FormulaSyntaxError.
 */
export function tokenizeExpression(source: string, quotesNames: boolean): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const space = take(SPACE, source, at);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    if (quotesNames && source[at] === "[") {
      const { name, length } = quotedName(source, at);
      tokens.push({ kind: "quoted", text: name, at });
      at += length;
      continue;
    }
    const [kind, text] = nextToken(source, at);
    if (kind === "number" && take(NAME, source, at + text.length) !== undefined) {
      throw new FormulaSyntaxError(
        "A number is followed by a name; put an operator between them",
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

/** Quoted as in text formulas: with either quote; a backslash escapes the next character. */
function quotedName(
  source: string,
  at: number,
): { readonly name: string; readonly length: number } {
  QUOTED.lastIndex = at;
  const found = QUOTED.exec(source);
  if (found === null) {
    throw new FormulaSyntaxError(
      'Unexpected "["; a column is named in quotes and brackets, as in ["Unit Price"]',
      source,
      at,
    );
  }
  const written = found[1] ?? found[2] ?? "";
  return { name: written.replaceAll(/\\(.)/gsu, unescaped), length: found[0].length };
}

function unescaped(_escape: string, character: string): string {
  return ESCAPES.get(character) ?? character;
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
    `Unexpected ${JSON.stringify(character)}${REMEDIES.get(character) ?? ""}`,
    source,
    at,
  );
}
