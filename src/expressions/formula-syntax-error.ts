/** A formula that does not parse. The message has the 1-based character position and the fix. */
export class FormulaSyntaxError extends Error {
  override readonly name = "FormulaSyntaxError";
  /** 1-based, counted in code points, as a reader counts characters. */
  readonly character: number;

  constructor(problem: string, source: string, offset: number) {
    const character = characterAt(source, offset);
    super(`${problem} at character ${character}`);
    this.character = character;
  }
}

/** The 1-based character (code point) at a UTF-16 offset. */
export function characterAt(source: string, offset: number): number {
  return Array.from(source.slice(0, offset)).length + 1;
}
