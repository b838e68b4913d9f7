import type { SeededRandom } from "../seeded-random.ts";
import type { Reply } from "./simulated-receiver.ts";

/** What a world of webhooks is made of. */
export interface WorldOptions {
  readonly events: number;
  /** Chance of a kill at each step. */
  readonly killChance: number;
  /** Kills at this step only; steps are counted from 0. */
  readonly killAtStep?: number;
  /** The receiver's responses; by default a mixture of all. */
  readonly answer?: (random: SeededRandom) => Reply;
  /** Changes of the endpoint while deliveries are under way. */
  readonly changes: boolean;
}
