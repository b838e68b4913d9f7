/** The runner's service that asks providers of models what costs nothing, called by the API Worker (docs/contract/models.md). */
import type { ModelVoice } from "./model.ts";
import type { ProviderCheck } from "./provider.ts";

export interface VoicesRequest {
  readonly v: 1;
  readonly workspace_id: string;
  /** Id of the provider, as it is configured for the workspace. */
  readonly provider: string;
}

/** At most 500 voices; null if the provider did not answer with a list. */
export type VoicesResult = readonly ModelVoice[] | null;

export interface CheckRequest {
  readonly v: 1;
  /** Whose provider: a workspace's, or the system's (null). */
  readonly workspace_id: string | null;
  readonly id: string;
}

/** `none`: the scope has no such provider. `no_free_call`: its kind has no call that costs nothing. */
export type CheckResult = ProviderCheck | "none" | "no_free_call";

export interface ModelProvidersApi {
  voices(request: VoicesRequest): Promise<VoicesResult>;
  check(request: CheckRequest): Promise<CheckResult>;
}
