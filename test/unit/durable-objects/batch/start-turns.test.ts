import { describe, expect, it } from "vitest";
import { StartTurns } from "../../../../durable-objects/batch/start-turns.ts";

/** A start that returns when it is told to. */
class Starts {
  readonly begun: number[] = [];
  readonly #ends = new Map<number, () => void>();

  of(at: number) {
    return () => {
      this.begun.push(at);
      return new Promise<number>((resolve) => {
        this.#ends.set(at, () => resolve(at));
      });
    };
  }

  async end(...which: number[]): Promise<void> {
    for (const at of which) {
      this.#ends.get(at)?.();
    }
    await settled();
  }
}

/** A pause that ends when it is told to. */
class Pauses {
  count = 0;
  #end: (() => void) | undefined;

  readonly begin = () => {
    this.count += 1;
    return new Promise<void>((resolve) => {
      this.#end = resolve;
    });
  };

  async end(): Promise<void> {
    this.#end?.();
    await settled();
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("turns of starts", () => {
  it("without a pause, a start begins as soon as another one has returned", async () => {
    const [turns, starts] = [new StartTurns(2), new Starts()];
    const results = [0, 1, 2, 3].map((at) => turns.take(starts.of(at)));
    expect(starts.begun).toEqual([0, 1]);
    await starts.end(1);
    expect(starts.begun).toEqual([0, 1, 2]);
    await starts.end(0, 2);
    await starts.end(3);
    expect(await Promise.all(results)).toEqual([0, 1, 2, 3]);
    expect(starts.begun).toEqual([0, 1, 2, 3]);
  });

  it("with a pause, the next ones begin together when all have returned and the pause is over", async () => {
    const [pauses, starts] = [new Pauses(), new Starts()];
    const turns = new StartTurns(2, pauses.begin);
    const results = [0, 1, 2, 3, 4].map((at) => turns.take(starts.of(at)));
    await starts.end(1);
    expect([starts.begun, pauses.count]).toEqual([[0, 1], 0]);
    await starts.end(0);
    expect([starts.begun, pauses.count]).toEqual([[0, 1], 1]);
    await pauses.end();
    expect(starts.begun).toEqual([0, 1, 2, 3]);
    await starts.end(2, 3);
    await pauses.end();
    await starts.end(4);
    expect(await Promise.all(results)).toEqual([0, 1, 2, 3, 4]);
    expect([starts.begun.length, pauses.count]).toEqual([5, 3]);
  });

  it("a start that comes during a pause waits for its end, and one that comes after it begins at once", async () => {
    const [pauses, starts] = [new Pauses(), new Starts()];
    const turns = new StartTurns(2, pauses.begin);
    const first = turns.take(starts.of(0));
    await starts.end(0);
    const second = turns.take(starts.of(1));
    expect(starts.begun).toEqual([0]);
    await pauses.end();
    expect(starts.begun).toEqual([0, 1]);
    const third = turns.take(starts.of(2));
    expect(starts.begun).toEqual([0, 1, 2]);
    await starts.end(1, 2);
    expect(await Promise.all([first, second, third])).toEqual([0, 1, 2]);
  });
});
