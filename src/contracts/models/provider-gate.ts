/** Messages between the executors and the gate of a provider. */
/** Places over all workspaces, and of one workspace. */
export interface GateLimits {
  readonly all: number;
  readonly each: number;
}

export type GateAnswer =
  | { readonly admitted: true }
  /** `wait_ms`: when to ask again if nobody wakes the visitor before. */
  | { readonly admitted: false; readonly wait_ms: number };

export interface GateHolder {
  readonly v: 1;
  readonly workspace_id: string;
  readonly run_id: string;
  /** Stands for a call, or for the job of a provider; the same in every attempt. */
  readonly holder: string;
}

/** Who gives a place back, or a place in the queue. */
export type GateLeaver = Omit<GateHolder, "v">;

export interface GateEntry extends GateHolder {
  /** Others whose places are free before the visitor is seen to. */
  readonly left: readonly GateLeaver[];
  /** Null for a visitor that asks again by itself. */
  readonly task_id: number | null;
  readonly limits: GateLimits;
}

export interface GateRenewal extends GateHolder {
  readonly is_job: boolean;
  /** The holder of the place until now, if it changes. */
  readonly was?: string;
}

export interface GateLeave {
  readonly v: 1;
  readonly left: readonly GateLeaver[];
}

export interface GatePause {
  readonly v: 1;
  readonly workspace_id: string;
  readonly for_ms: number;
}

/** RPC interface of the gate objects, one for each configured provider. */
export interface ProviderGateApi {
  enter(request: GateEntry): Promise<GateAnswer>;
  /** Returns the milliseconds for which the workspace may not call the provider. */
  renew(request: GateRenewal): Promise<number>;
  leave(request: GateLeave): Promise<void>;
  /** Holds back the calls of a workspace. */
  pause(request: GatePause): Promise<void>;
}
