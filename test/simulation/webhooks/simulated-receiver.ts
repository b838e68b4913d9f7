/** The receiver of a simulated endpoint: its responses, and what must be true of each request that it gets. */
import { IN_FLIGHT_MAX } from "../../../src/domain/webhooks/deliveries/delivery-scheduler.ts";
import type { SeededRandom } from "../seeded-random.ts";

export interface Reply {
  readonly status: number | null;
  readonly delayMs: number;
  readonly retryAfter?: (nowMs: number) => { header: string; floorMs: number };
}

export interface Request {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly atMs: number;
  endMs: number;
}

/** The requests so far. Violations are added to `violations`. */
export class SimulatedReceiver {
  readonly violations: string[] = [];
  readonly #inFlight = new Set<Request>();
  /** Addresses that have passed a test. */
  readonly #proven = new Set<string>();
  readonly #earliest = new Map<string, { readonly atMs: number; readonly revision: number }>();
  readonly #bodies = new Map<string, string>();

  isProven(url: string): boolean {
    return this.#proven.has(url);
  }

  prove(url: string): void {
    this.#proven.add(url);
  }

  /** The next attempt of a delivery to this revision of the address may not come before this time. */
  expectNotBefore(deliveryId: string, atMs: number, revision: number): void {
    this.#earliest.set(deliveryId, { atMs, revision });
  }

  begin(request: Request, url: string, revision: number, body: string): void {
    for (const other of this.#inFlight) {
      if (other.deliveryId === request.deliveryId) {
        this.violations.push(`two attempts of ${request.deliveryId} at a time`);
      }
    }
    if (this.#inFlight.size >= IN_FLIGHT_MAX) {
      this.violations.push(`more than ${IN_FLIGHT_MAX} in flight`);
    }
    if (!this.#proven.has(url)) {
      this.violations.push(`a request to ${url}, which has not passed a test`);
    }
    const earliest = this.#earliest.get(request.deliveryId);
    if (earliest !== undefined && earliest.revision === revision && request.atMs < earliest.atMs) {
      this.violations.push(`${request.deliveryId} came ${earliest.atMs - request.atMs} ms early`);
    }
    const before = this.#bodies.get(request.eventId) ?? body;
    this.#bodies.set(request.eventId, body);
    if (body !== before || body !== `body of ${request.eventId}`) {
      this.violations.push(`the body of ${request.eventId} changed`);
    }
    this.#inFlight.add(request);
  }

  end(request: Request): void {
    this.#inFlight.delete(request);
  }

  /** The sender was killed, and all its requests with it. */
  cutOff(): void {
    this.#inFlight.clear();
  }
}

/** Any possible response of a receiver. */
export function anyResponse(random: SeededRandom): Reply {
  const delayMs = random.next() < 0.05 ? 20_000 : random.next() * 3_000;
  const choice = random.next();
  if (choice < 0.45) {
    return { status: 200 + Math.floor(random.next() * 7), delayMs };
  }
  if (choice < 0.47) {
    return { status: 410, delayMs };
  }
  if (choice < 0.6) {
    return {
      status: 503,
      delayMs,
      retryAfter: (nowMs) => {
        const seconds = Math.floor(random.next() ** 4 * 100_000);
        return { header: String(seconds), floorMs: Math.floor(nowMs) + seconds * 1_000 };
      },
    };
  }
  if (choice < 0.7) {
    return {
      status: 429,
      delayMs,
      retryAfter: (nowMs) => {
        const floorMs = Math.floor((nowMs + random.next() * 7_200_000) / 1_000) * 1_000;
        return { header: new Date(floorMs).toUTCString(), floorMs };
      },
    };
  }
  if (choice < 0.8) {
    return { status: null, delayMs };
  }
  return { status: [302, 400, 404, 500, 502][Math.floor(random.next() * 5)] ?? 500, delayMs };
}
