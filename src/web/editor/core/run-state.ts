/** The states of nodes during a run, from the events of the service. */
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";

export type NodeState = "idle" | "pending" | "running" | "completed" | "failed" | "skipped";

export interface NodeRun {
  readonly state: NodeState;
  /** Iterations; null until their number is known. */
  readonly total: number | null;
  /** Iterations that have ended, in whichever way. */
  readonly settled: number;
}

export interface RunState {
  readonly id: string;
  readonly status: string;
  /** In percent; never falls. */
  readonly progress: number;
  readonly nodes: ReadonlyMap<string, NodeRun>;
}

const TERMINAL = new Set(["completed", "partial_success", "failed", "cancelled"]);

export function isEnded(status: string): boolean {
  return TERMINAL.has(status);
}

/** What the editor shows for a state of the service; a node that was cancelled or blocked did not run. */
const SHOWN: Readonly<Record<string, NodeState>> = {
  pending: "pending",
  running: "running",
  completed: "completed",
  partial_success: "failed",
  failed: "failed",
  blocked: "skipped",
  skipped: "skipped",
  cancelled: "skipped",
};

export function startRun(id: string, nodes: readonly string[]): RunState {
  const pending: NodeRun = { state: "pending", total: null, settled: 0 };
  return {
    id,
    status: "pending",
    progress: 0,
    nodes: new Map(nodes.map((node) => [node, pending])),
  };
}

/** Applies an event; events and nodes that the editor does not know change nothing. */
export function applyEvent(run: RunState, event: string, data: JsonValue): RunState {
  if (!isJsonObject(data)) {
    return run;
  }
  switch (event) {
    case "status":
    case "done":
      return typeof data["status"] === "string" ? { ...run, status: data["status"] } : run;
    case "progress":
      return { ...run, progress: Math.max(run.progress, count(data["progress"])) };
    case "node": {
      const { node_id: id, state, total } = data;
      const shown = typeof state === "string" ? SHOWN[state] : undefined;
      if (typeof id !== "string" || shown === undefined) {
        return run;
      }
      const settled =
        count(data["completed"]) +
        count(data["failed"]) +
        count(data["blocked"]) +
        count(data["skipped"]);
      const node = { state: shown, total: typeof total === "number" ? total : null, settled };
      return { ...run, nodes: new Map(run.nodes).set(id, node) };
    }
    default:
      return run;
  }
}

function count(value: JsonValue | undefined): number {
  return typeof value === "number" && value >= 0 ? value : 0;
}

/** Nodes that have ended, for "3 of 9 nodes done". */
export function endedNodes({ nodes }: RunState): number {
  return [...nodes.values()].filter(({ state }) => state !== "pending" && state !== "running")
    .length;
}

/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Longest line and most waiting text of a stream, in UTF-16 units. */
const STREAM_TEXT_MAX = 1024 * 1024;

/** Splits the text of an event stream into events, from pieces of any length. Throws RangeError for an endless event. */
export class EventReader {
  #rest = "";

  push(text: string): readonly StreamEvent[] {
    this.#rest = (this.#rest + text).replaceAll("\r\n", "\n");
    const blocks = this.#rest.split("\n\n");
    this.#rest = blocks.pop() ?? "";
    if (this.#rest.length > STREAM_TEXT_MAX) {
      throw new RangeError("An event of the stream is too long.");
    }
    return blocks.flatMap((block) => {
      const fields = new Map<string, string>();
      for (const line of block.split("\n")) {
        const [, name, value] = /^([a-z]+): ?(.*)$/s.exec(line) ?? [];
        if (name !== undefined && value !== undefined) {
          fields.set(name, fields.has(name) ? `${fields.get(name) ?? ""}\n${value}` : value);
        }
      }
      const event = fields.get("event");
      return event === undefined
        ? []
        : [{ id: fields.get("id") ?? "", event, data: fields.get("data") ?? "" }];
    });
  }
}
