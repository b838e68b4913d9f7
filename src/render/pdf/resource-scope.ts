import type { Ref } from "./object-writer.ts";

type Category = "Font" | "XObject" | "Shading" | "Pattern";

/** The resources that one content stream names (ISO 32000-1 §7.8.3). */
export class ResourceScope {
  readonly #refs = new Map<Category, Map<string, Ref>>();
  readonly #states = new Map<string, string>();
  #colorSpaces: string;

  /** `colorSpaces` are entries that every stream of the document has. */
  constructor(colorSpaces: string) {
    this.#colorSpaces = colorSpaces;
  }

  /** Returns the name as an operand. */
  use(category: Category, name: string, ref: Ref): string {
    let names = this.#refs.get(category);
    if (names === undefined) {
      names = new Map();
      this.#refs.set(category, names);
    }
    names.set(name, ref);
    return `/${name}`;
  }

  /** A graphics state by the entries of its dictionary. Returns its name as an operand. */
  useState(entries: string): string {
    let name = this.#states.get(entries);
    if (name === undefined) {
      name = `G${this.#states.size + 1}`;
      this.#states.set(entries, name);
    }
    return `/${name}`;
  }

  /** The resource dictionary. */
  dictionary(): string {
    let text = "";
    for (const [category, names] of this.#refs) {
      const entries = [...names].map(([name, ref]) => `/${name} ${ref} 0 R`);
      text += `/${category}<<${entries.join("")}>>`;
    }
    if (this.#states.size > 0) {
      const entries = [...this.#states].map(([state, name]) => `/${name}<<${state}>>`);
      text += `/ExtGState<<${entries.join("")}>>`;
    }
    if (this.#colorSpaces !== "") {
      text += `/ColorSpace<<${this.#colorSpaces}>>`;
    }
    return `<<${text}>>`;
  }
}
