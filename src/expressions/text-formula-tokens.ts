import { FormulaSyntaxError } from "./formula-syntax-error.ts";

export interface FormulaToken {
  readonly kind: "name" | "text" | "number" | "symbol" | "end";
  /** The name, the unquoted text, the number's token or the symbol. */
  readonly text: string;
  readonly at: number;
}

const SPACE = /\s+/y;
// A hyphen between letters is part of a name, as in Liquid; a hyphen between spaces is an operator.
const NAME = /[\p{L}_][\p{L}\p{M}\p{N}_]*(?:-[\p{L}\p{M}\p{N}_]+)*/uy;
const NUMBER = /\d+(?:\.\d+)?/y;

/** Escape sequences in a quoted text; after a backslash, any other character stands for itself. */
export const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** Tokenizes the source between `{{` and `}}`, from `from` to `to`. Throws FormulaSyntaxError. */
export function textFormulaTokens(source: string, from: number, to: number): FormulaToken[] {
  const tokens: FormulaToken[] = [];
  let at = from;
  while (at < to) {
    const space = take(SPACE, source, at, to);
    if (space !== "") {
      at += space.length;
      continue;
    }
    const { token, next } = readToken(source, at, to, tokens.at(-1));
    tokens.push(token);
    at = next;
  }
  tokens.push({ kind: "end", text: "", at: to });
  return tokens;
}

function take(pattern: RegExp, source: string, at: number, to: number): string {
  pattern.lastIndex = at;
  const found = pattern.exec(source)?.[0] ?? "";
  return at + found.length > to ? "" : found;
}

function readToken(
  source: string,
  at: number,
  to: number,
  before: FormulaToken | undefined,
): { token: FormulaToken; next: number } {
  const character = source[at] ?? "";
  if (character === '"' || character === "'") {
    const { text, next } = quoted(source, at, to);
    return { token: { kind: "text", text, at }, next };
  }
  const name = take(NAME, source, at, to);
  if (name !== "") {
    return { token: { kind: "name", text: name, at }, next: at + name.length };
  }
  // A sign belongs to a number only at the beginning of a filter's argument: `slice: -3`.
  const isArgument = before?.kind === "symbol" && (before.text === ":" || before.text === ",");
  const sign = character === "-" && isArgument ? "-" : "";
  const digits = take(NUMBER, source, at + sign.length, to);
  if (digits !== "") {
    const text = sign + digits;
    return { token: { kind: "number", text, at }, next: at + text.length };
  }
  if (!"|:,+.[]".includes(character)) {
    throw unexpected(source, at);
  }
  return { token: { kind: "symbol", text: character, at }, next: at + 1 };
}

function unexpected(source: string, at: number): FormulaSyntaxError {
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  const problem = "-*/%".includes(character)
    ? `"${character}" is an arithmetic operator, but text formulas work on text; use a number column, or a filter such as plus or times`
    : `Unexpected ${JSON.stringify(character)} in a text formula`;
  return new FormulaSyntaxError(problem, source, at);
}

function quoted(source: string, open: number, to: number): { text: string; next: number } {
  const quote = source[open];
  let text = "";
  let at = open + 1;
  while (at < to && source[at] !== quote) {
    const isEscape = source[at] === "\\" && at + 1 < to;
    const character = source[isEscape ? at + 1 : at] ?? "";
    text += isEscape ? (ESCAPES.get(character) ?? character) : character;
    at += isEscape ? 2 : 1;
  }
  if (at >= to) {
    throw new FormulaSyntaxError("A quoted text is not closed", source, open);
  }
  return { text, next: at + 1 };
}
