import { DurableObject } from "cloudflare:workers";
import type {
  SignedAttempt,
  WebhookAttemptsApi,
  WebhookSenderApi,
} from "../../src/contracts/webhooks/webhook-object-api.ts";
import { sendAttempt } from "../../src/domain/webhooks/deliveries/send-attempt.ts";
import type { RunnerEnv } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { object, text, version } from "../../src/lib/json/shape.ts";
import { isRunnerEnvUsable } from "../../src/platform/check-env.ts";
import { parseEntries } from "../shared/entries.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";

/** The number of attempts that the endpoint's object releases at once. */
const IN_FLIGHT_MAX = 4;
/** Delays between attempts to report; together with the delivery attempt they end before its lease. */
const REPORT_BACKOFF_MS = [50, 200, 1_000, 3_000, 5_000] as const;

/**
 * Makes the delivery attempts of one webhook endpoint, named by its id, so that a receiver that hangs holds up no other
 * endpoint. Keeps everything in memory: lost work is repeated when its lease ends.
 */
export class WebhookSenderObject extends DurableObject<RunnerEnv> implements WebhookSenderApi {
  readonly #log = createLogger({ worker: "runner", object: "webhook_sender" });
  #inFlight = 0;
  #isClaiming = false;
  #mustClaimAgain = false;

  /** Accepts a hint that attempts are due; the work continues after the response. */
  wake(request: { v: 1; endpoint_id: string }): Promise<void> {
    this.ctx.waitUntil(this.#pump(request.endpoint_id));
    return Promise.resolve();
  }

  async #pump(endpointId: string): Promise<void> {
    this.#mustClaimAgain = true;
    if (this.#isClaiming) {
      return;
    }
    this.#isClaiming = true;
    try {
      while (this.#mustClaimAgain && this.#inFlight < IN_FLIGHT_MAX) {
        this.#mustClaimAgain = false;
        const endpoint = this.#endpoint(endpointId);
        this.#start(
          endpointId,
          await endpoint.claim({ v: 1, max: IN_FLIGHT_MAX - this.#inFlight }),
        );
      }
    } catch (error) {
      // The endpoint's alarm sends the hint again.
      this.#log.error("webhook.claim_failed", {
        endpoint_id: endpointId,
        cause: describeCause(error),
      });
    } finally {
      this.#isClaiming = false;
    }
  }

  #start(endpointId: string, attempts: readonly SignedAttempt[]): void {
    for (const attempt of attempts) {
      this.#inFlight++;
      this.ctx.waitUntil(this.#make(endpointId, attempt));
    }
  }

  async #make(endpointId: string, attempt: SignedAttempt): Promise<void> {
    let next: readonly SignedAttempt[] = [];
    try {
      const outcome = await sendAttempt(this.env, attempt);
      next = await this.#report(endpointId, attempt, outcome);
    } catch (error) {
      this.#log.error("webhook.report_lost", {
        endpoint_id: endpointId,
        cause: describeCause(error),
      });
    } finally {
      this.#inFlight--;
      this.#start(endpointId, next);
    }
  }

  /** Also requests work for the place that has become free. */
  async #report(
    endpointId: string,
    attempt: SignedAttempt,
    outcome: Awaited<ReturnType<typeof sendAttempt>>,
  ): Promise<readonly SignedAttempt[]> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#endpoint(endpointId).report({
          v: 1,
          delivery_id: attempt.delivery_id,
          fence: attempt.fence,
          outcome,
          max: IN_FLIGHT_MAX - (this.#inFlight - 1),
        });
      } catch (error) {
        const waitMs = REPORT_BACKOFF_MS[tries];
        if (waitMs === undefined) {
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  #endpoint(endpointId: string): WebhookAttemptsApi {
    const { WEBHOOK_ENDPOINT: endpoints } = this.env;
    return endpoints.get(endpoints.idFromName(endpointId));
  }
}

parseEntries<WebhookSenderApi>(WebhookSenderObject, isRunnerEnvUsable, {
  wake: [object<{ v: 1; endpoint_id: string }>({ v: version(1), endpoint_id: text })],
});
