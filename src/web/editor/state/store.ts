/** The state of the editor and its changes, without a framework: components read it, actions change it. */
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import { fittingEnds, type Picked } from "../core/connect.ts";
import type { Dangling } from "../core/palette.ts";
import { type End, EMPTY_GRAPH, type Graph, type Point } from "../core/graph.ts";
import { commit, endBurst, type History, startHistory } from "../core/history.ts";
import type { Issue } from "../core/issues.ts";
import { type Catalog, GraphPorts } from "../core/ports.ts";
import type { RunState } from "../core/run-state.ts";
import type { Api } from "../core/save-workflow.ts";
import type { Words } from "../words.ts";

/** A wire that was dropped on the canvas. */
export interface DroppedWire extends Dangling {
  readonly end: End;
  /** On the canvas. */
  readonly at: Point;
}

/** Where the focus is asked to go; `n` grows so that the same place can be asked for again. */
export interface Goal {
  readonly node: string | null;
  readonly parameter: string | null;
  readonly n: number;
}

export interface WorkflowState {
  /** Null in a create flow, until the first save. */
  readonly id: string | null;
  readonly name: string;
  readonly version: number;
  readonly etag: string | null;
}

export interface EditorState {
  readonly phase: "loading" | "ready" | "failed";
  readonly failure: string;
  readonly workflow: WorkflowState;
  readonly catalog: Catalog;
  readonly history: History<Graph>;
  /** The graph that the service has; null if it has none. */
  readonly stored: Graph | null;
  readonly isPublished: boolean;
  readonly selection: ReadonlySet<string>;
  readonly selectedWires: ReadonlySet<string>;
  readonly picked: Picked | null;
  readonly dropped: DroppedWire | null;
  readonly search: string;
  readonly isPaletteOpen: boolean;
  readonly view: "canvas" | "list";
  readonly tab: "node" | "interfaces";
  readonly issues: readonly Issue[];
  readonly check: "none" | "checking" | "done" | "failed";
  readonly status: string;
  /** Grows with each text of the live region, the same one again included. */
  readonly said: number;
  readonly dialog: "help" | "run" | "results" | null;
  readonly hasConflict: boolean;
  readonly isSaving: boolean;
  readonly run: RunState | null;
  readonly results: JsonValue | null;
  /** Lists of the catalog by path, loaded when a control needs them; null while they are loading. */
  readonly resources: ReadonlyMap<string, JsonValue | null>;
  /** The canvas is so small that the targets of handles are below 24 px, except on cards that are lifted. */
  readonly isFar: boolean;
  /** The canvas is so small that cards cannot be read: they are outlines, except those that are lifted. */
  readonly isOverview: boolean;
  /** Names of the templates that nodes have, by id. */
  readonly templateNames: ReadonlyMap<string, string>;
  readonly goal: Goal;
  readonly canEdit: boolean;
  readonly canRun: boolean;
  readonly showName: boolean;
  readonly showBranding: boolean;
}

export interface Rights {
  readonly canEdit: boolean;
  readonly canRun: boolean;
}

/** What the page of the parent hears (docs/embeds.md#messages). */
export interface Host {
  post(type: string, payload: Readonly<Record<string, JsonValue>>): void;
  /** Posts that the editor is ready, and runs the commands that have waited. */
  ready(): void;
  /** Posts why the editor cannot start, and refuses its commands until it is ready. */
  fail(code: string, message: string): void;
}

const EMPTY: ReadonlySet<string> = new Set();

export class EditorStore {
  readonly api: Api;
  readonly host: Host;
  readonly words: Words;
  #state: EditorState;
  readonly #listeners = new Set<() => void>();
  #ports: { readonly catalog: Catalog; readonly graph: Graph; readonly ports: GraphPorts } | null =
    null;
  #fitting: {
    readonly picked: Picked | null;
    readonly ports: GraphPorts;
    readonly ends: ReadonlySet<string>;
  } | null = null;
  /** Called after every change of the document. */
  onGraph: () => void = () => undefined;

  constructor(
    { api, host, words }: { readonly api: Api; readonly host: Host; readonly words: Words },
    start: Rights &
      Pick<EditorState, "showName" | "showBranding" | "view"> & {
        readonly workflow: WorkflowState;
      },
  ) {
    this.api = api;
    this.host = host;
    this.words = words;
    this.#state = {
      phase: "loading",
      failure: "",
      catalog: { entries: new Map() },
      history: startHistory(EMPTY_GRAPH),
      stored: null,
      isPublished: false,
      selection: EMPTY,
      selectedWires: EMPTY,
      picked: null,
      dropped: null,
      search: "",
      isPaletteOpen: false,
      tab: "node",
      issues: [],
      check: "none",
      status: "",
      said: 0,
      dialog: null,
      hasConflict: false,
      isSaving: false,
      run: null,
      results: null,
      resources: new Map(),
      isFar: false,
      isOverview: false,
      templateNames: new Map(),
      goal: { node: null, parameter: null, n: 0 },
      ...start,
    };
  }

  get state(): EditorState {
    return this.#state;
  }

  get graph(): Graph {
    return this.#state.history.present;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  set(patch: Partial<EditorState>): void {
    const said = this.#state.said + (patch.status === undefined ? 0 : 1);
    this.#state = { ...this.#state, ...patch, said };
    for (const listener of this.#listeners) {
      listener();
    }
  }

  /** Says something in the live region. */
  say(status: string): void {
    this.set({ status });
  }

  /** The ports of the present graph. */
  ports(): GraphPorts {
    const { catalog } = this.#state;
    const { graph } = this;
    if (this.#ports?.catalog !== catalog || this.#ports.graph !== graph) {
      this.#ports = { catalog, graph, ports: new GraphPorts(catalog, graph) };
    }
    return this.#ports.ports;
  }

  /** Ends that the picked one may be connected to, as `node:side:port`. */
  fitting(): ReadonlySet<string> {
    const { picked } = this.#state;
    const ports = this.ports();
    if (this.#fitting?.picked !== picked || this.#fitting.ports !== ports) {
      const ends = picked === null ? EMPTY : fittingEnds(ports, this.graph, picked);
      this.#fitting = { picked, ports, ends };
    }
    return this.#fitting.ends;
  }

  /** Makes a changed document the present one, as a step of its own or as part of a burst. */
  change(graph: Graph, burst: string | null = null, patch: Partial<EditorState> = {}): void {
    if (!this.#state.canEdit || graph === this.graph) {
      return;
    }
    this.set({ ...patch, history: commit(this.#state.history, graph, burst) });
    this.onGraph();
  }

  endBurst(): void {
    const history = endBurst(this.#state.history);
    if (history !== this.#state.history) {
      this.set({ history });
    }
  }

  /** Sets the history after an undo, a redo or a load. */
  travel(history: History<Graph>, patch: Partial<EditorState> = {}): void {
    const ids = new Set(history.present.nodes.map(({ id }) => id));
    const selection = new Set([...this.#state.selection].filter((id) => ids.has(id)));
    this.set({ selection, selectedWires: EMPTY, picked: null, ...patch, history });
    this.onGraph();
  }

  get isDirty(): boolean {
    return isDirty(this.#state);
  }
}

/** Whether the document differs from what the service has. */
export function isDirty({ history, stored }: EditorState): boolean {
  return stored === null ? history.present.nodes.length > 0 : history.present !== stored;
}
