import { TokenizationError } from "liquidjs";
import { FormulaSyntaxError } from "./formula-syntax-error.ts";
import type { Binding, Segment } from "./render-text-formula.ts";
import { AS_TEXT_FILTER, isListFilter, isTextFilter, textFormulaLiquid } from "./text-filters.ts";
import { type FormulaToken, textFormulaTokens } from "./text-formula-tokens.ts";

const LITERALS: ReadonlySet<string> = new Set(["true", "false", "nil", "null", "empty", "blank"]);

/**
 * Reads one `{{ … }}` output of a text formula, between `from` and `to`, and rewrites it for Liquid. Throws
 * FormulaSyntaxError.
 */
export function readFormulaOutput(source: string, from: number, to: number): Segment {
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
