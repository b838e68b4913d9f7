import { DurableObject } from "cloudflare:workers";
import type { BillingPlan } from "../../src/contracts/workspaces/billing-plan.ts";
import type {
  AccessFacts,
  FactsChange,
  OrganizationAccessApi,
  PlanCodes,
  ReadFactsRequest,
  ReadPlanRequest,
} from "../../src/contracts/workspaces/organization-access.ts";
import {
  DOUBT_MS,
  FACTS_AGE_MAX_MS,
  isBelieved,
  isDoubted,
  PLANS,
} from "../../src/domain/access/kept-facts.ts";
import { isEnvUsable } from "../../src/platform/check-env.ts";
import type { Env } from "../../src/platform/env.ts";
import { findAccessFacts } from "../../src/storage/d1/access-facts-store.ts";
import { findBillingPlan } from "../../src/storage/d1/billing-plan-store.ts";
import { believeOrganization } from "../../src/storage/d1/databases.ts";
import { parseEntries } from "../shared/entries.ts";
import { ObjectAlarm } from "../shared/object-alarm.ts";
import { ACCESS_ENTRIES } from "./access-entries.ts";
import { FactsStore } from "./facts-store.ts";

/** Retry after a failed sweep. */
const RETRY_MS = 60_000;

/**
 * What D1 says about the API keys and the plans of one organization, or about one plan, read once for all isolates
 * (docs/decisions/organization-access.md). Writers announce changes before and after they write to D1. D1 stays the
 * source of these facts: the object can be deleted at any time, and deletes itself when nobody has asked for a while.
 */
export class OrganizationAccessObject extends DurableObject<Env> implements OrganizationAccessApi {
  readonly #store = new FactsStore(this.ctx.storage);
  readonly #alarm = new ObjectAlarm(this.ctx.storage, {
    object: "organization_access",
    failedEvent: "organization_access.alarm_failed",
    retryMs: RETRY_MS,
  });
  /** Counts announcements: what was read from D1 before the newest one is not kept. */
  #announced = 0;

  async read({ key, workspace, organization, shard }: ReadFactsRequest): Promise<AccessFacts> {
    if (organization !== undefined) {
      believeOrganization(this.env, workspace, organization);
    }
    let reading: Promise<AccessFacts> | undefined;
    // One statement has both facts, whichever of them is not kept.
    const both = () => {
      reading ??= findAccessFacts(this.env, {
        workspaceId: workspace,
        keyId: key,
        organizationId: organization,
        hint: shard,
      });
      return reading;
    };
    const [keyFacts, plans] = await Promise.all([
      key === null ? null : this.#fact(key, key, async () => (await both()).key ?? undefined),
      this.#fact<PlanCodes>(workspace, PLANS, async () => (await both()).plans ?? undefined),
    ]);
    return { key: keyFacts ?? null, plans: plans ?? null };
  }

  async readPlan({ code }: ReadPlanRequest): Promise<BillingPlan | null> {
    return (await this.#fact(code, code, () => findBillingPlan(this.env, code))) ?? null;
  }

  async changing({ subject }: FactsChange): Promise<void> {
    this.#announced++;
    const nowMs = Date.now();
    const untilMs = nowMs + DOUBT_MS;
    this.#store.beginChange(subject, nowMs, untilMs);
    await this.#alarm.armWhereNone(untilMs + 1);
  }

  async changed({ subject }: FactsChange): Promise<void> {
    this.#announced++;
    this.#store.endChange(subject);
  }

  override alarm(): Promise<void> {
    return this.#alarm.fire(async () => {
      const nowMs = Date.now();
      if (this.#store.sweep(nowMs)) {
        this.#alarm.arm(nowMs + FACTS_AGE_MAX_MS);
      } else {
        await this.#store.deleteAll();
      }
    });
  }

  /** A fact that is kept, or else read; undefined if D1 does not have it, which is not kept. */
  async #fact<T>(
    id: string,
    subject: string,
    read: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const readAtMs = Date.now();
    const doubtedUntilMs = this.#store.doubtedUntilMs(subject);
    const kept = this.#store.find(id);
    if (kept !== undefined && isBelieved(kept, doubtedUntilMs, readAtMs)) {
      // Written below, for this subject.
      return JSON.parse(kept.value) as T;
    }
    const announced = this.#announced;
    const value = await read();
    const isCurrent = announced === this.#announced && !isDoubted(doubtedUntilMs, readAtMs);
    if (value !== undefined && isCurrent) {
      this.#store.keep(id, { subject, value: JSON.stringify(value), readAtMs });
      await this.#alarm.armWhereNone(readAtMs + FACTS_AGE_MAX_MS);
    }
    return value;
  }
}

parseEntries(OrganizationAccessObject, isEnvUsable, ACCESS_ENTRIES);
