/** Messages between executor tests and the scripted run object. */
import type {
  ElementInputs,
  EmittedText,
  LeasedTask,
  NodeTasksMessage,
  TaskReport,
} from "../../../src/contracts/runs/task.ts";

export interface ScriptedTask {
  readonly task_id: number;
  readonly chunk: number;
  readonly node_type: string;
  readonly params: unknown;
  readonly inputs?: LeasedTask["inputs"];
  readonly time_limit_ms?: number;
  /** Of an aggregator. */
  readonly elements?: readonly ElementInputs[];
}

export interface Script {
  readonly workspace_id: string;
  readonly tasks: readonly ScriptedTask[];
  readonly lease_ms?: number;
  readonly heartbeat_ms?: number;
}

export interface RunLog {
  readonly claims: { atMs: number; chunk: number; leased: number }[];
  readonly reports: { atMs: number; call: number; isStale: boolean; report: TaskReport }[];
  readonly heartbeats: { atMs: number; tasks: number[] }[];
  readonly pages: { atMs: number; task_id: number; from: number }[];
  readonly emitted: { atMs: number; texts: readonly EmittedText[] }[];
}

export type Order =
  | { readonly do: "script"; readonly run: string; readonly script: Script }
  | { readonly do: "failReports"; readonly run: string; readonly count: number }
  | { readonly do: "forgetTexts"; readonly run: string }
  | { readonly do: "cancel"; readonly run: string }
  | { readonly do: "steal"; readonly run: string; readonly tasks: readonly number[] }
  | { readonly do: "log"; readonly run: string }
  | { readonly do: "send"; readonly messages: readonly (NodeTasksMessage | object)[] };
