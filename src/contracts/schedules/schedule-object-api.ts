/** Messages between the API and the object of a schedule. Times are milliseconds since 1970. */
import type { Result } from "../../lib/result.ts";
import type { CacheOptions } from "../runs/cache-options.ts";
import type { AdmissionLimits, Execution } from "../runs/run.ts";
import type { CatchUpPolicy, FiringOutcome, OverlapPolicy, ScheduleStatus } from "./schedule.ts";

/** What a caller sets, as it is stored. */
export interface ScheduleFields {
  readonly name: string;
  readonly workflow: string;
  readonly version: number | null;
  readonly interface: string | null;
  /** The text of the object `inputs`, with the digits that were sent. */
  readonly inputs_json: string;
  readonly admission_limits: AdmissionLimits | null;
  /** Absent in schedules from before there was one. */
  readonly cache?: CacheOptions | null;
  /** Exactly one of `cron` and `interval_seconds` is not null. */
  readonly cron: string | null;
  readonly interval_seconds: number | null;
  readonly time_zone: string;
  readonly starts_at_ms: number | null;
  readonly ends_at_ms: number | null;
  readonly max_runs: number | null;
  readonly jitter_seconds: number;
  readonly overlap: OverlapPolicy;
  readonly catch_up: CatchUpPolicy;
  readonly catch_up_window_seconds: number;
  readonly scheduled_time_input: string | null;
}

export interface ScheduleRecord extends ScheduleFields {
  readonly id: string;
  readonly workspace_id: string;
  readonly organization_id: string;
  /** Public address of the links in answers, used if the environment does not set one. */
  readonly base_url: string;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
  /** Grows with every change by a caller. */
  readonly revision: number;
}

/** A schedule with the state of its clock. */
export interface ScheduleState {
  readonly record: ScheduleRecord;
  readonly status: ScheduleStatus;
  readonly next_at_ms: number | null;
  readonly last_ms: number | null;
  readonly runs_started: number;
}

export interface FiringRow {
  /** Ascending; the cursor of pages. */
  readonly seq: number;
  readonly scheduled_for_ms: number;
  readonly due_at_ms: number;
  readonly fired_at_ms: number | null;
  readonly outcome: FiringOutcome;
  readonly execution: string | null;
  readonly error_code: string | null;
}

interface OfWorkspace {
  readonly v: 1;
  readonly workspace_id: string;
}

export interface ChangeScheduleRequest extends OfWorkspace {
  /** The revision from which the fields were prepared. */
  readonly base_revision: number;
  readonly fields: ScheduleFields;
}

export interface TriggerRequest extends OfWorkspace {
  /** A repeat with the same key returns the same run. */
  readonly key: string;
}

export type ChangedSchedule =
  | { readonly kind: "changed"; readonly state: ScheduleState }
  /** The schedule has another revision by now. */
  | { readonly kind: "moved" };

/** RPC interface of the object of a schedule. `read`, `change` and others find nothing for another workspace. */
export interface ScheduleObjectApi {
  /** Stores a new schedule, which starts nothing until `confirm`, or until its row is found. Repeats change nothing. */
  create(request: { v: 1; record: ScheduleRecord }): Promise<ScheduleState>;
  confirm(request: OfWorkspace): Promise<void>;
  /** Null if there is none of this workspace; with `tells_elsewhere`, `elsewhere` if it belongs to another one. */
  read(
    request: OfWorkspace & { readonly tells_elsewhere?: boolean },
  ): Promise<ScheduleState | "elsewhere" | null>;
  change(request: ChangeScheduleRequest): Promise<Result<ChangedSchedule>>;
  setStatus(
    request: OfWorkspace & { readonly action: "pause" | "resume" },
  ): Promise<Result<ScheduleState>>;
  remove(request: OfWorkspace): Promise<void>;
  /** Starts a run now. Throws nothing that a submit refuses: it is a failure. */
  trigger(request: TriggerRequest): Promise<Result<Execution>>;
  /** Newest first. */
  listFirings(
    request: OfWorkspace & { readonly limit: number; readonly below_seq: number | null },
  ): Promise<{ readonly rows: readonly FiringRow[]; readonly total: number }>;
}
