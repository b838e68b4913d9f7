import { createDurable } from "itty-durable/itty-durable.js";
import type {
  EmbedTokenObjectApi,
  EmbedTokenState,
  RevokeRequest,
  SettlePermitRequest,
  TakeOutcome,
  TakePermitRequest,
  UseOutcome,
  UsePermitRequest,
} from "../../src/contracts/embeds/embed-token-object-api.ts";
import {
  type PermitRecord,
  TokenLedger,
  type TokenTotals,
} from "../../src/domain/embeds/token-ledger.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { isEnvUsable } from "../../src/platform/check-env.ts";
import type { Env } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { parseEntries } from "../shared/entries.ts";
import { EMBED_TOKEN_ENTRIES } from "./embed-token-entries.ts";

const PERMIT_ROW = "permit:";
/** Rows of one call of `list` while the object wakes. */
const ROWS_AT_ONCE = 1_000;
/** Retry after a failure to delete an ended token. */
const RETRY_MS = 60_000;

/** `createDurable` keeps the platform's state in this field, and adds its own. */
interface IttyState extends DurableObjectState {
  env: Env;
  initialized: boolean;
}

/**
 * The object of one embed token: its permits and its revocation (docs/contract/embeds.md#caps). The one object that is
 * built on itty-durable, called through its proxy: see docs/decisions/embed-token-object.md.
 *
 * itty-durable stores the fields of `getPersistable` as one value; each permit is a row beside it, so that a call
 * writes two rows whatever the number of open permits. Both are written in one turn of the event loop, which the
 * platform commits as one transaction, and awaited before the answer.
 */
export class EmbedTokenObject extends createDurable() implements EmbedTokenObjectApi {
  // The fields that itty-durable loads; the ledger is made of them and of the permits (`onLoad`).
  used = 0;
  revoked_until_ms = 0;
  token_ends_at_ms = 0;
  #ledger = new TokenLedger();

  constructor(state: DurableObjectState, env: Env) {
    // Not the environment: itty-durable would make a proxy of each of its bindings.
    super(state, {});
    this.#platform.env = env;
    void state.blockConcurrencyWhile(() => this.loadFromStorage());
  }

  /** For the checks of `parseEntries`. */
  get env(): Env {
    return (this.state as IttyState).env;
  }
  get ctx(): DurableObjectState {
    return this.state as IttyState;
  }

  take(request: TakePermitRequest): Promise<TakeOutcome> {
    return this.#stored(() => this.#ledger.take(request, newPermit(), Date.now()));
  }

  hold(request: UsePermitRequest): Promise<UseOutcome> {
    return this.#stored(() => this.#ledger.hold(request, newPermit(), Date.now()));
  }

  settle(request: SettlePermitRequest): Promise<EmbedTokenState> {
    return this.#stored(() => {
      this.#ledger.settle(request, Date.now());
      return this.#standing();
    });
  }

  revoke(request: RevokeRequest): Promise<EmbedTokenState> {
    return this.#stored(() => {
      this.#ledger.revoke(request, Date.now());
      return this.#standing();
    });
  }

  standing(_request: { readonly v: 1 }): Promise<EmbedTokenState> {
    return Promise.resolve(this.#standing());
  }

  /** Deletes everything once the token has ended and no revocation lasts. */
  async alarm(): Promise<void> {
    try {
      await this.loadFromStorage();
      const { endsAtMs } = this.#ledger;
      if (endsAtMs > Date.now()) {
        await this.setAlarm(endsAtMs + 1);
        return;
      }
      await this.#platform.storage.deleteAll();
      this.#ledger = new TokenLedger();
    } catch (error) {
      createLogger({ service: "edgeloom", object: "embed_token" }).error(
        "embed_token.alarm_failed",
        { cause: describeCause(error) },
      );
      await this.setAlarm(Date.now() + RETRY_MS);
    }
  }

  /** What itty-durable stores as one value. */
  override getPersistable(): TokenTotals {
    return this.#ledger.totals;
  }

  /** itty-durable has set the fields from its value; the permits follow. */
  override async onLoad(): Promise<void> {
    const permits: [string, PermitRecord][] = [];
    for (let startAfter: string | undefined; ;) {
      const page = await this.#platform.storage.list<PermitRecord>({
        prefix: PERMIT_ROW,
        limit: ROWS_AT_ONCE,
        ...(startAfter !== undefined && { startAfter }),
      });
      for (const [name, record] of page) {
        permits.push([name.slice(PERMIT_ROW.length), record]);
        startAfter = name;
      }
      if (page.size < ROWS_AT_ONCE) {
        break;
      }
    }
    permits.sort(([, a], [, b]) => a.lapses_at_ms - b.lapses_at_ms);
    this.#ledger = new TokenLedger(this, permits);
  }

  get #platform(): IttyState {
    return this.state as IttyState;
  }

  #standing(): EmbedTokenState {
    const { used, revoked_until_ms } = this.#ledger.totals;
    return { used, revoked_until_ms };
  }

  /** Runs a synchronous change and awaits its rows. If one cannot be written, the instance ends: memory is ahead. */
  async #stored<T>(change: () => T): Promise<T> {
    const before = this.#ledger.totals;
    const { endsAtMs } = this.#ledger;
    const answer = change();
    const rows = this.#ledger.takeChanges();
    try {
      // One turn: the platform commits what is written before the first await as one transaction.
      await Promise.all([
        ...(isSame(before, this.#ledger.totals) ? [] : [this.persist()]),
        ...this.#write(rows),
        ...this.#moveAlarm(endsAtMs),
      ]);
    } catch (error) {
      this.#platform.abort("the token's state could not be stored");
      throw error;
    }
    return answer;
  }

  *#write(rows: ReadonlyMap<string, PermitRecord | null>): Generator<Promise<unknown>> {
    const { storage } = this.#platform;
    const gone: string[] = [];
    for (const [id, record] of rows) {
      if (record === null) {
        gone.push(PERMIT_ROW + id);
      } else {
        yield storage.put(PERMIT_ROW + id, record);
      }
    }
    if (gone.length > 0) {
      yield storage.delete(gone);
    }
  }

  /** The alarm follows the end of the token or of its revocation, whichever is later. */
  *#moveAlarm(before: number): Generator<Promise<unknown>> {
    const { endsAtMs } = this.#ledger;
    if (endsAtMs !== before) {
      yield this.setAlarm(Math.max(endsAtMs, Date.now()) + 1) as Promise<void>;
    }
  }
}

function isSame(one: TokenTotals, other: TokenTotals): boolean {
  return (
    one.used === other.used &&
    one.revoked_until_ms === other.revoked_until_ms &&
    one.token_ends_at_ms === other.token_ends_at_ms
  );
}

function newPermit(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `prm_${Buffer.from(bytes).toString("hex")}`;
}

parseEntries(EmbedTokenObject, isEnvUsable, EMBED_TOKEN_ENTRIES);
