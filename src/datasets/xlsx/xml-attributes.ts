/** Maximum number of attributes that are compared in pairs; more are compared with a set. */
const PAIRS_MAX = 8;

/**
 * The attributes of the current tag: offsets in its text, converted to strings on access. One
 * object is reused for every tag.
 */
export class XmlAttributes {
  #text = "";
  /** For each attribute: start and end of its name, start and end of its value. */
  #places = new Int32Array(64);
  #decode: (raw: string) => string;
  count = 0;

  /** `decode` returns a value from the text between the quotes. */
  constructor(decode: (raw: string) => string) {
    this.#decode = decode;
  }

  begin(text: string): void {
    this.#text = text;
    this.count = 0;
  }

  add(nameStart: number, nameEnd: number, start: number, end: number): void {
    const at = this.count * 4;
    if (at === this.#places.length) {
      const more = new Int32Array(at * 2);
      more.set(this.#places);
      this.#places = more;
    }
    this.#places[at] = nameStart;
    this.#places[at + 1] = nameEnd;
    this.#places[at + 2] = start;
    this.#places[at + 3] = end;
    this.count++;
  }

  /** Whether two attributes have the same name. */
  get hasTwice(): boolean {
    if (this.count > PAIRS_MAX) {
      const names = new Set<string>();
      for (let index = 0; index < this.count; index++) {
        names.add(this.name(index));
      }
      return names.size < this.count;
    }
    // Nearly every tag has few, and sets cost more than comparisons.
    for (let a = 1; a < this.count; a++) {
      for (let b = 0; b < a; b++) {
        if (this.#isSameName(a * 4, b * 4)) {
          return true;
        }
      }
    }
    return false;
  }

  #isSameName(a: number, b: number): boolean {
    const places = this.#places;
    const text = this.#text;
    const from = places[b] ?? 0;
    const length = (places[b + 1] ?? 0) - from;
    const at = places[a] ?? 0;
    if ((places[a + 1] ?? 0) - at !== length) {
      return false;
    }
    for (let index = 0; index < length; index++) {
      if (text.charCodeAt(at + index) !== text.charCodeAt(from + index)) {
        return false;
      }
    }
    return true;
  }

  name(index: number): string {
    const at = index * 4;
    return this.#text.slice(this.#places[at], this.#places[at + 1]);
  }

  value(index: number): string {
    const at = index * 4;
    return this.#decode(this.#text.slice(this.#places[at + 2], this.#places[at + 3]));
  }

  /**
   * The value of the attribute with that name, including its prefix; undefined if there is none.
   */
  get(name: string): string | undefined {
    const places = this.#places;
    const text = this.#text;
    for (let at = 0; at < this.count * 4; at += 4) {
      const start = places[at] ?? 0;
      if ((places[at + 1] ?? 0) - start === name.length && text.startsWith(name, start)) {
        return this.value(at / 4);
      }
    }
    return undefined;
  }

  /** The value of the first attribute with that name, ignoring its prefix. */
  getLocal(name: string): string | undefined {
    for (let index = 0; index < this.count; index++) {
      const own = this.name(index);
      if (own === name || own.endsWith(`:${name}`)) {
        return this.value(index);
      }
    }
    return undefined;
  }
}
