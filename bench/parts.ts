import type { Figure } from "./figure.ts";

/** A part of a measurement that has no figure, and why. */
export interface FailedPart {
  readonly part: string;
  readonly reason: string;
}

/** The figures of a measurement, part by part: what one part has measured outlives the failure of another. */
export class Parts {
  readonly figures: Figure[] = [];
  readonly failed: FailedPart[] = [];
  readonly #onPart: () => Promise<void>;

  /** `onPart` is called after each part, measured or failed. */
  constructor(onPart: () => Promise<void> = () => Promise.resolve()) {
    this.#onPart = onPart;
  }

  /** Measures a part. If it throws, it is a failed one, and nothing is thrown. */
  async take(part: string, measure: () => Promise<Figure | readonly Figure[]>): Promise<void> {
    try {
      this.figures.push(...[await measure()].flat());
    } catch (error) {
      this.fail(part, error);
    }
    await this.#onPart();
  }

  /** Notes that something failed without which its part goes on. */
  fail(part: string, error: unknown): void {
    console.error(`${part} failed:`, error);
    const reason = error instanceof Error ? error.message : "it threw";
    this.failed.push({ part, reason: reason.replaceAll(/\s+/g, " ").slice(0, REASON_CHARS) });
  }
}

const REASON_CHARS = 300;

/**
 * Measures each side once in each round, in turns, after a round that only warms up. A side that fails is left out from then
 * on and is among the failed parts; its earlier samples are kept.
 */
export async function roundsOfSides<Name extends string, Sample>(
  rounds: number,
  sides: Readonly<Record<Name, (isWarmUp: boolean) => Promise<Sample>>>,
  parts: Parts,
): Promise<Record<Name, Sample[]>> {
  const names = Object.keys(sides) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<
    Name,
    Sample[]
  >;
  const left = new Set(names);
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of left) {
      try {
        const sample = await sides[name](round === 0);
        if (round > 0) {
          samples[name].push(sample);
        }
      } catch (error) {
        parts.fail(`${name}, round ${round} of ${rounds}`, error);
        left.delete(name);
      }
    }
  }
  return samples;
}
