/** Simulated deliveries: lost, repeated and late messages, and kills between any two steps. */
import { describe, expect, test } from "vitest";
import { SeededRandom } from "../seeded-random.ts";
import { webhookProblem } from "./verify-webhook-case.ts";
import type { Reply } from "./simulated-receiver.ts";
import { WebhookWorld } from "./webhook-world.ts";
import type { WorldOptions } from "./world-options.ts";
import { sizeOf } from "../../support/sizes.ts";

const SEED = Number(process.env["WEBHOOK_SEED"] ?? 20_261_120);
const WORLDS = sizeOf("webhookWorlds");
const EVENTS = 50;

const good = (): Reply => ({ status: 200, delayMs: 100 });

function simulate(seed: number, options: WorldOptions): WebhookWorld {
  const world = new WebhookWorld(new SeededRandom(seed), options);
  world.run();
  return world;
}

describe("simulated deliveries", () => {
  test(`${WORLDS * EVENTS} of them, under kills, changes and every response, lose nothing, are never early, and go to verified URLs only`, () => {
    let [kills, sent, delivered] = [0, 0, 0];
    for (let index = 0; index < WORLDS; index++) {
      const seed = SEED + index;
      const world = simulate(seed, { events: EVENTS, killChance: 0.03, changes: true });
      expect({ seed, problem: webhookProblem(world) }).toEqual({ seed, problem: undefined });
      kills += world.kills;
      sent += world.sent;
      delivered += world.rows.all().filter(({ status }) => status === "delivered").length;
    }
    // Otherwise the worlds were too quiet to prove anything.
    expect(kills).toBeGreaterThan(WORLDS * 5);
    expect(sent).toBeGreaterThan(WORLDS * EVENTS * 0.8);
    expect(delivered).toBeGreaterThan(WORLDS * EVENTS * 0.5);
  });

  test("a kill at any step of the path loses nothing if the receiver responds", () => {
    const quiet = { events: 6, changes: false, killChance: 0, answer: good };
    const { steps } = simulate(SEED, { ...quiet, killAtStep: -1 });
    expect(steps).toBeGreaterThan(30);
    for (let step = 0; step < steps; step++) {
      const world = simulate(SEED, { ...quiet, killAtStep: step });
      expect(world.kills, `step ${step}`).toBe(1);
      expect(webhookProblem(world), `kill at step ${step}`).toBeUndefined();
      expect(new Set(world.rows.all().map(({ status }) => status)), `step ${step}`).toEqual(
        new Set(["delivered"]),
      );
      expect(world.answered2xx.size, `step ${step}`).toBe(6);
    }
  });

  test("a receiver that never succeeds gets eleven attempts and no more", () => {
    const down = (): Reply => ({ status: 500, delayMs: 10 });
    const world = simulate(SEED, { events: 20, changes: false, killChance: 0, answer: down });
    expect(world.violations).toEqual([]);
    for (const delivery of world.rows.all()) {
      expect(delivery.status).toBe("exhausted");
      const isDeadline = world.rows
        .attempts(delivery.id)
        .some(({ started_at_ms: startedMs }) => startedMs >= delivery.deadline_at_ms);
      expect(delivery.attempt_count === 11 || isDeadline).toBe(true);
    }
  });
});
