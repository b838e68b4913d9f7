import { SeededRandom } from "../seeded-random.ts";
import { WebhookWorld } from "./webhook-world.ts";

/** A world of one endpoint, small enough to be stored: a seed and the number of events. */
export interface WebhookCase {
  readonly seed: number;
  readonly events: number;
  readonly killChance: number;
  /** Whether the endpoint is changed while deliveries are under way. */
  readonly changes: boolean;
}

/** The problem with the deliveries of a world, in one line; undefined if there is none. */
export function verifyWebhookCase({ seed, ...options }: WebhookCase): string | undefined {
  try {
    const world = new WebhookWorld(new SeededRandom(seed), options);
    world.run();
    return webhookProblem(world);
  } catch (error) {
    return String(error).slice(0, 500);
  }
}

/** The invariant of every world: each accepted event reached an end that its rows explain. */
export function webhookProblem(world: WebhookWorld): string | undefined {
  if (world.violations.length > 0) {
    return world.violations[0];
  }
  const byEvent = new Map(world.rows.all().map((delivery) => [delivery.event_id, delivery]));
  for (const { eventId, isClosed, isTaken } of world.runs) {
    const delivery = byEvent.get(eventId);
    if (!isClosed) {
      return `${eventId} was not handed over`;
    }
    if ((delivery !== undefined) !== isTaken) {
      return `${eventId} was ${isTaken === true ? "" : "not "}taken, and is ${delivery?.status ?? "not there"}`;
    }
    if (delivery === undefined) {
      continue;
    }
    const told = `${eventId} is ${delivery.status}`;
    if (delivery.status !== "delivered" && delivery.status !== "exhausted") {
      return told;
    }
    const attempts = world.rows.attempts(delivery.id);
    if (attempts.length !== delivery.attempt_count) {
      return `${told} after ${attempts.length} attempts and counts ${delivery.attempt_count}`;
    }
    const statuses = attempts.map(({ response_status: status }) => status ?? 0);
    const isDelivered = statuses.some((status) => status >= 200 && status < 300);
    if ((delivery.status === "delivered") !== isDelivered) {
      return `${told} after answers ${statuses.join(", ")}`;
    }
    if (isDelivered && !world.answered2xx.has(eventId)) {
      return `${told}, and its receiver never said so`;
    }
    // Ended for a reason: endpoint gone, all attempts made, or deadline passed.
    const isSpent = delivery.failures >= 11 || statuses.includes(410);
    const isLate =
      world.nowMs >= delivery.deadline_at_ms || delivery.next_attempt_at_ms <= world.nowMs;
    if (!isDelivered && !isSpent && !isLate) {
      return `${told} after ${delivery.failures} failures, with time left`;
    }
  }
  return undefined;
}
