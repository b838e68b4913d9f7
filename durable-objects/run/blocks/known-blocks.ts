/**
 * Blocks in memory, by group and number and in the order of their last use. Arrays and links in place of
 * a Map: V8 keeps the table that a Map has outgrown, or was cleared of, together with all that was in it
 * where that table was old, until its next full collection. Of a run with 200,000 elements that was
 * 30 MB of garbage (docs/decisions/memory-budget.md).
 */
interface Linked<B> {
  readonly group: number;
  readonly number: number;
  /** Used just before and just after this one; only the list that it is in writes them. */
  older: B | undefined;
  newer: B | undefined;
}

export class KnownBlocks<B extends Linked<B>> {
  #groups: (B | undefined)[][] = [];
  #oldest: B | undefined;
  #latest: B | undefined;

  /** The block, which is now the one used last. */
  use(group: number, number: number): B | undefined {
    const latest = this.#latest;
    if (latest?.group === group && latest.number === number) {
      return latest;
    }
    const block = this.#groups[group]?.[number];
    if (block !== undefined) {
      this.#unlink(block);
      this.#link(block);
    }
    return block;
  }

  /** The block, without saying that it is used. */
  peek(group: number, number: number): B | undefined {
    return this.#groups[group]?.[number];
  }

  add(block: B): void {
    (this.#groups[block.group] ??= [])[block.number] = block;
    this.#link(block);
  }

  remove(block: B): void {
    const blocks = this.#groups[block.group];
    if (blocks !== undefined) {
      blocks[block.number] = undefined;
    }
    this.#unlink(block);
  }

  clear(): void {
    this.#groups = [];
    this.#oldest = this.#latest = undefined;
  }

  /** Oldest use first; the one that was given may be removed. */
  *oldestFirst(): Generator<B> {
    for (let block = this.#oldest; block !== undefined;) {
      const { newer }: B = block;
      yield block;
      block = newer;
    }
  }

  #link(block: B): void {
    block.older = this.#latest;
    if (this.#latest === undefined) {
      this.#oldest = block;
    } else {
      this.#latest.newer = block;
    }
    this.#latest = block;
  }

  #unlink(block: B): void {
    const { older, newer } = block;
    if (older === undefined) {
      this.#oldest = newer;
    } else {
      older.newer = newer;
    }
    if (newer === undefined) {
      this.#latest = older;
    } else {
      newer.older = older;
    }
    block.older = block.newer = undefined;
  }
}
