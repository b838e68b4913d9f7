/** Numbers of 32 bits whose count is not known before. */
export class GrowingNumbers {
  #values = new Uint32Array(256);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  push(value: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Uint32Array(Math.ceil(this.#count * 1.5));
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count++] = value;
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  /** Adds to a number that is there; from the end with a negative index. */
  raise(index: number, by: number): void {
    const place = index < 0 ? this.#count + index : index;
    this.#values[place] = this.at(place) + by;
  }

  /** The last number, or 0. */
  get last(): number {
    return this.at(this.#count - 1);
  }

  /** A view, valid until the next `push`. */
  all(): Uint32Array {
    return this.#values.subarray(0, this.#count);
  }
}
