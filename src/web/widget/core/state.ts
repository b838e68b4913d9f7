/** What the widget shows, as one value that changes by replacement. */
import type { EmbedConfig } from "./config.ts";
import type { GalleryGroup } from "./outputs.ts";
import type { Settings } from "./settings.ts";
import type { UploadProgress } from "./upload-file.ts";
import type { FieldValue, Problem } from "./values.ts";

export type Phase = "loading" | "idle" | "uploading" | "running" | "done" | "failed";

export interface Upload {
  readonly file: File;
  readonly sentBytes: number;
  /** `stopped`: it can be continued. */
  readonly state: "sending" | "checking" | "stopped";
  readonly progress: UploadProgress;
  /** Of `svc:init`: not told, and restored by a reset. */
  readonly isInitial: boolean;
  readonly abort: AbortController;
}

export interface FieldState {
  readonly value: FieldValue;
  /** Text of a number's or JSON control that is not a value; null if the control shows the value. */
  readonly draft: string | null;
  /** Shown beside the control. */
  readonly problem: Problem | null;
  readonly upload: Upload | null;
  /** The file behind the value, for its preview; null if it came from the host. */
  readonly file: File | null;
  /** Whether the field of a file shows the control for an address. */
  readonly isAddress: boolean;
}

export interface RunState {
  /** Null until the service has accepted the run. */
  readonly id: string | null;
  readonly status: string;
  readonly progress: number;
  readonly made: number;
  readonly startedMs: number;
  readonly isCancelling: boolean;
}

export interface Finished {
  readonly groups: readonly GalleryGroup[];
  readonly isPartial: boolean;
  readonly seconds: number;
}

/** A message of the page, above the buttons. */
export interface Notice {
  readonly code: string;
  /** Id to quote to support. */
  readonly requestId: string | null;
}

export interface State {
  readonly settings: Settings;
  /** Null while loading, and where the page cannot start. */
  readonly config: EmbedConfig | null;
  readonly fields: Readonly<Record<string, FieldState>>;
  readonly run: RunState | null;
  readonly finished: Finished | null;
  readonly notice: Notice | null;
  /** The field to focus; grows with each request, so that the same field can be focused again. */
  readonly focus: { readonly key: string; readonly request: number } | null;
}

export const EMPTY_FIELD: FieldState = {
  value: null,
  draft: null,
  problem: null,
  upload: null,
  file: null,
  isAddress: false,
};

/** `data-phase` of the root. */
export function phaseOf({ config, fields, run, finished, notice }: State): Phase {
  if (config === null) {
    return notice === null ? "loading" : "failed";
  }
  if (run !== null) {
    return "running";
  }
  if (Object.values(fields).some(({ upload }) => upload !== null && upload.state !== "stopped")) {
    return "uploading";
  }
  return notice !== null ? "failed" : finished === null ? "idle" : "done";
}

/** One value with listeners. */
export class Store {
  #state: State;
  readonly #listeners = new Set<() => void>();

  constructor(state: State) {
    this.#state = state;
  }

  get state(): State {
    return this.#state;
  }

  set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) {
      listener();
    }
  }

  setField(key: string, change: Partial<FieldState>): void {
    const before = this.#state.fields[key] ?? EMPTY_FIELD;
    this.set({ fields: { ...this.#state.fields, [key]: { ...before, ...change } } });
  }

  field(key: string): FieldState {
    return this.#state.fields[key] ?? EMPTY_FIELD;
  }

  /** Returns a function that ends the listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
