/** The one instance that several codecs keep between two files, so that an isolate at rest does not hold them all. */
export class KeptInstance {
  #letGo: (() => void) | undefined;

  /** This codec's is kept from now on, and `letGo` gives it up; the one before is given up. */
  keep(letGo: () => void): void {
    const before = this.#letGo;
    this.#letGo = letGo;
    if (before !== letGo) {
      before?.();
    }
  }
}
