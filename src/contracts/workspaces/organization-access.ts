import type { Permission, Scope } from "./access.ts";
import type { BillingPlan } from "./billing-plan.ts";

/** The rights of an API key, as D1 has them; without its secret. */
export interface KeyFacts {
  readonly id: string;
  readonly organization_id: string;
  readonly workspace_id: string;
  readonly scopes: readonly Scope[];
  readonly permissions: readonly Permission[];
  readonly is_agent: boolean;
  /** Null if the key does not expire. */
  readonly expires_at_ms: number | null;
  readonly is_revoked: boolean;
}

/** The codes of the billing plans that limit a caller of a workspace. */
export interface PlanCodes {
  readonly workspace: string;
  /** Those of all workspaces of the organization, each once. */
  readonly organization: readonly string[];
}

/** What a request needs to know about its caller; null for what does not exist. */
export interface AccessFacts {
  readonly key: KeyFacts | null;
  readonly plans: PlanCodes | null;
}

export interface ReadFactsRequest {
  readonly v: 1;
  /** Null for a caller without a key. */
  readonly key: string | null;
  readonly workspace: string;
  /** The workspace's organization, if the caller knows it. Callers of earlier releases do not send it. */
  readonly organization?: string;
  /** The shard on which the caller last saw the organization, which may have moved; absent if it does not know. */
  readonly shard?: number;
}

export interface ReadPlanRequest {
  readonly v: 1;
  readonly code: string;
}

/** A write to D1 that changes facts. */
export interface FactsChange {
  readonly v: 1;
  /** The id of a key, the code of a plan, or `plans`: those of the organization's workspaces. */
  readonly subject: string;
}

/** RPC interface of the access object of an organization, or of a plan. */
export interface OrganizationAccessApi {
  read(request: ReadFactsRequest): Promise<AccessFacts>;
  /** The plan, maybe as an older deploy kept it; null if there is none. Of a plan's object. */
  readPlan(request: ReadPlanRequest): Promise<BillingPlan | null>;
  /** Before a write to D1: until its end, at most for a minute, facts of this subject are read from D1 and not kept. */
  changing(change: FactsChange): Promise<void>;
  /** After it: the kept facts of this subject are dropped. */
  changed(change: FactsChange): Promise<void>;
}
