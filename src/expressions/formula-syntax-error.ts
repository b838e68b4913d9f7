/** A formula that does not parse. The message names the 1-based character and the mend. */
export class FormulaSyntaxError extends Error {
  override readonly name = "FormulaSyntaxError";
  /** 1-based, counted in characters as a reader sees them (code points). */
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
