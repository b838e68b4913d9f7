import type { PDFDict } from "pdf-lib";
import type { Ref } from "./object-writer.ts";
import { dictOf, type PdfEntries, refOf } from "./pdf-objects.ts";

type Category = "Font" | "XObject" | "Shading" | "Pattern";

/** The resources that one content stream names (ISO 32000-1 §7.8.3). */
export class ResourceScope {
  readonly #refs = new Map<Category, Map<string, Ref>>();
  readonly #states = new Map<string, { readonly name: string; readonly state: PDFDict }>();
  readonly #colorSpaces: PDFDict | undefined;

  /** `colorSpaces` are entries that every stream of the document has. */
  constructor(colorSpaces: PDFDict | undefined) {
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
  useState(entries: PdfEntries): string {
    const state = dictOf(entries);
    const key = state.toString();
    let name = this.#states.get(key)?.name;
    if (name === undefined) {
      name = `G${this.#states.size + 1}`;
      this.#states.set(key, { name, state });
    }
    return `/${name}`;
  }

  /** The resource dictionary. */
  dictionary(): PDFDict {
    const entries: Record<string, PDFDict | undefined> = {};
    for (const [category, names] of this.#refs) {
      entries[category] = dictOf(
        Object.fromEntries([...names].map(([name, ref]) => [name, refOf(ref)])),
      );
    }
    if (this.#states.size > 0) {
      const states = [...this.#states.values()].map(({ name, state }) => [name, state] as const);
      entries["ExtGState"] = dictOf(Object.fromEntries(states));
    }
    entries["ColorSpace"] = this.#colorSpaces;
    return dictOf(entries);
  }
}
