import { describeCause } from "../../lib/errors/describe-cause.ts";
import { AppError } from "../../lib/errors/errors.ts";
import {
  compareWithRecord,
  IDEMPOTENCY_KEPT_MS,
  KEY_REUSED,
} from "../../lib/idempotency-record.ts";
import type { AppContext } from "../../platform/context.ts";
import {
  type IdempotencyKey,
  type IdempotencyRow,
  IdempotencyStore,
  type OnceStatements,
} from "../../storage/d1/idempotency-store.ts";

/** A request that has ended loses its claim after this time; a live one renews it well before. */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/** How long a repeat waits for the first request, and its polling interval. */
const WAIT_MAX_MS = 60_000;
const LOOK_FIRST_MS = 20;
const LOOK_MAX_MS = 500;

/** A key, and the fingerprint of its request. */
export interface CreationKey extends IdempotencyKey {
  /** Of the parsed body; null for a form, whose fingerprint is known at its end. */
  readonly fingerprint: string | null;
}

/** The right to create under a key. */
export interface CreationClaim {
  /** Statements for the transaction that creates the resource. `fingerprint` is that of a form. */
  statements(status: number, fingerprint?: string): OnceStatements;
  /** Records an outcome outside of a D1 transaction; repeating the request must have no effect. */
  settle(resourceId: string, status: number, fingerprint?: string): Promise<void>;
}

/** The resource that an earlier request with the key created, and the status of its response. */
export interface Outcome {
  readonly resourceId: string;
  readonly status: number;
}

export interface CreationSteps<T> {
  /** Creates the resource, with the claim's statements if there is a key. */
  readonly create: (claim: CreationClaim | undefined) => Promise<T>;
  /** The current resource, without secrets that are shown once. */
  readonly replay: (outcome: Outcome) => Promise<T>;
  /** Reads a form to its end and returns its fingerprint, if an earlier request has the key. */
  readonly readForm?: () => Promise<string>;
}

/**
 * Creates at most once for each key; without a key it only creates. The key is claimed first, and
 * settled in the transaction that creates, so that a crash leaves both or neither. A claim whose
 * request has ended expires, and a later commit of that request fails. A repeat waits for the first
 * request and returns the current resource. A rejection frees the key. Throws
 * `idempotency_conflict` for another body, `service_unavailable` if the first request does not end
 * in time.
 */
export async function createOnce<T>(
  ctx: AppContext,
  key: CreationKey | undefined,
  steps: CreationSteps<T>,
): Promise<{ readonly value: T; readonly isReplay: boolean }> {
  if (key === undefined) {
    return { value: await steps.create(undefined), isReplay: false };
  }
  const work = new KeyedCreation(ctx, key, steps).run();
  // If the client disconnects, the claim must still be settled and not wait for its expiry.
  ctx.waitUntil(work.catch(() => undefined));
  return await work;
}

class KeyedCreation<T> {
  readonly #ctx: AppContext;
  readonly #key: CreationKey;
  readonly #steps: CreationSteps<T>;
  readonly #store: IdempotencyStore;
  readonly #claim = crypto.randomUUID();
  /** Fingerprint of this request's body, when known. */
  #fingerprint: string | null;

  constructor(ctx: AppContext, key: CreationKey, steps: CreationSteps<T>) {
    this.#ctx = ctx;
    this.#key = key;
    this.#steps = steps;
    this.#store = new IdempotencyStore(ctx.env, key);
    this.#fingerprint = key.fingerprint;
  }

  async run(): Promise<{ readonly value: T; readonly isReplay: boolean }> {
    const untilMs = this.#ctx.nowMs() + WAIT_MAX_MS;
    for (let lookMs = LOOK_FIRST_MS; ; lookMs = Math.min(LOOK_MAX_MS, lookMs * 2)) {
      const row = await this.#store.claim({
        claim: this.#claim,
        fingerprint: this.#fingerprint,
        bootId: this.#ctx.env.BOOT_ID,
        nowMs: this.#ctx.nowMs(),
        leaseMs: LEASE_MS,
        keptMs: IDEMPOTENCY_KEPT_MS,
      });
      if (row.claim === this.#claim) {
        const made = await this.#create();
        if (made !== undefined) {
          return made;
        }
        continue;
      }
      // A form is read while the first request works, because the comparison needs both to have
      // ended.
      this.#fingerprint ??= (await this.#steps.readForm?.()) ?? "";
      this.#compare(row);
      const outcome = outcomeOf(row);
      if (outcome !== undefined) {
        return { value: await this.#replay(outcome), isReplay: true };
      }
      if (this.#ctx.nowMs() >= untilMs) {
        throw new AppError(
          "service_unavailable",
          "An earlier request with this Idempotency-Key is still in progress. Try again.",
          { headers: { "retry-after": "1" } },
        );
      }
      await scheduler.wait(lookMs);
    }
  }

  /** Undefined if another request took over the claim: its outcome is then returned. */
  async #create(): Promise<{ readonly value: T; readonly isReplay: boolean } | undefined> {
    if (this.#key.fingerprint === null && this.#fingerprint !== null) {
      // The form was read for the comparison, and the request that had the key has released it.
      await this.#store.release(this.#claim);
      return this.#formIsGone();
    }
    const renewing = setInterval(() => {
      void this.#renew();
    }, RENEW_EVERY_MS);
    try {
      return { value: await this.#steps.create(this.#handle()), isReplay: false };
    } catch (error) {
      const row = await this.#store.find().catch(() => undefined);
      if (row?.claim === this.#claim) {
        const outcome = outcomeOf(row);
        if (outcome !== undefined) {
          // The commit succeeded, only its confirmation was lost.
          return { value: await this.#steps.replay(outcome), isReplay: false };
        }
        await this.#store.release(this.#claim);
      } else if (row !== undefined) {
        return this.#key.fingerprint === null ? this.#formIsGone() : undefined;
      }
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  /** Reads the rest of a form that will not be stored. */
  #formIsGone(): never {
    throw new AppError(
      "service_unavailable",
      "Another request with this Idempotency-Key was made at the same time. Send this one again.",
      { headers: { "retry-after": "1" } },
    );
  }

  #handle(): CreationClaim {
    const fingerprintOr = (given: string | undefined) => given ?? this.#key.fingerprint ?? "";
    return {
      statements: (status, fingerprint) =>
        this.#store.statements(this.#claim, {
          status,
          fingerprint: fingerprintOr(fingerprint),
        }),
      settle: (resourceId, status, fingerprint) =>
        this.#store.settle(this.#claim, {
          resourceId,
          status,
          fingerprint: fingerprintOr(fingerprint),
        }),
    };
  }

  /**
   * A failed renewal is repaired by the next one; after three failures the claim expires, as
   * intended.
   */
  async #renew(): Promise<void> {
    try {
      await this.#store.renew(this.#claim, this.#ctx.nowMs() + LEASE_MS);
    } catch (error) {
      this.#ctx.log.error("idempotency.renew_failed", { reason: describeCause(error) });
    }
  }

  /** The created resource may have been deleted, which the repeat then reports. */
  async #replay(outcome: Outcome): Promise<T> {
    try {
      return await this.#steps.replay(outcome);
    } catch (error) {
      if (!(error instanceof AppError)) {
        throw error;
      }
      throw new AppError(error.code, error.message, {
        status: error.status,
        errors: error.errors,
        members: error.members,
        headers: { ...error.headers, "idempotency-replayed": "true" },
      });
    }
  }

  #compare(row: IdempotencyRow): void {
    const { fingerprint } = row;
    // Not known yet while the first request reads its form.
    const record = fingerprint === null ? undefined : { fingerprint };
    if (compareWithRecord(record, this.#fingerprint) === "conflict") {
      throw new AppError("idempotency_conflict", KEY_REUSED);
    }
  }
}

function outcomeOf({ resource_id, status }: IdempotencyRow): Outcome | undefined {
  return resource_id === null || status === null ? undefined : { resourceId: resource_id, status };
}
