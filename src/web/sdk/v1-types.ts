// The types of the SDK; `scripts/build-web.ts` serves this file as v1.d.ts and v1.d.mts, without this line.
/** Version of the SDK. */
export declare const version: string;

/** Shows one workflow in a frame. Throws if `container` does not exist. */
export declare function createRuntime(options: RuntimeOptions): Runtime;

/** Shows the workflow editor in a frame. Throws if `container` does not exist. */
export declare function createEditor(options: EditorOptions): Editor;

/** Either a token, or a function that asks your backend for one. Prefer the function: it is asked again before a token ends. */
export type TokenSource =
  | { token: string; fetchToken?: undefined }
  | { token?: undefined; fetchToken: () => string | Promise<string> };

export interface CommonOptions {
  /** The element that the frame is put into, or a selector of it. */
  container: Element | string;
  theme?: "light" | "dark" | "auto" | Theme;
  /** `en`, `de`, `fr`, `es`, `ja` or `ar`; any other gives `en`. */
  locale?: string;
  /** A style sheet for the frame, at most 32 KiB. */
  css?: string;
  showName?: boolean;
  showBranding?: boolean;
  /** Title of the frame, for screen readers. */
  title?: string;
  /** How long `ready` waits. Default 15,000. */
  readyTimeoutMs?: number;
  /** Address of the service. Default: where the SDK was loaded from. */
  baseUrl?: string;
}

export type RuntimeOptions = TokenSource &
  CommonOptions & {
    /** Id of the workflow. Default: that of the token. */
    workflow?: string;
    /** Id of a custom interface, if the token does not fix one. */
    interface?: string;
    layout?: "default" | "compact" | "inline" | "headless";
    compact?: boolean;
    values?: Values;
    /** Keys of fields that are shown and cannot be changed. */
    lockedFields?: string[];
    /** Keys of fields that are not shown; their values are still sent. */
    hiddenFields?: string[];
    hideHeader?: boolean;
    hideExecuteButton?: boolean;
    hidePoweredBy?: boolean;
    hideProgress?: boolean;
    hideOutput?: boolean;
    /** Whether the frame gets the height of its content. Default true. */
    autoResize?: boolean;
    on?: Listeners<RuntimeEvents>;
  };

export type EditorOptions = TokenSource &
  CommonOptions & {
    /** Id of the workflow to open. Without it, the editor creates one, and needs `name`. */
    workflow?: string;
    /** Name of the workflow that the editor creates. */
    name?: string;
    on?: Listeners<EditorEvents>;
  };

/** Values by the key of their field: text, number, boolean or JSON. For files: `{ url }`, an HTTPS address, a `File`, or null. */
export type Values = Record<string, unknown>;

/** Colors as in CSS: `#RGB`, `#RRGGBB`, `#RRGGBBAA`, `rgb()`, `hsl()` or a name. */
export interface Theme {
  mode?: "light" | "dark" | "auto";
  primaryColor?: string;
  backgroundColor?: string;
  surfaceColor?: string;
  textColor?: string;
  mutedColor?: string;
  borderColor?: string;
  successColor?: string;
  errorColor?: string;
  /** A number of pixels, or a length of 0 to 64 px such as `8px` or `0.5rem`. */
  borderRadius?: number | string;
  fontFamily?: string;
}

export interface Field {
  key: string;
  label: string;
  type: string;
  required: boolean;
  value: unknown;
}

export interface Output {
  key: string;
  /** Unique among the outputs of a run. */
  name: string;
  /** The same for all elements of an iterated output. */
  logical_name: string;
  type: string;
  presence: "present" | "absent";
  value?: unknown;
  url?: string;
  content_type?: string;
  input_indices: number[];
}

export interface RunResult {
  executionId: string;
  outputs: Output[];
}

export interface Refusal {
  code: string;
  /** For people, in the language of the frame. */
  message: string;
}

/** A call that was refused. */
export interface SdkError extends Error {
  /**
   * A code of the service, or of the SDK: `timeout` (no answer within 30 seconds), `destroyed`, `reloaded` (the frame was loaded
   * again before it answered), `blocked_or_unreachable` (the frame did not become ready).
   */
  code: string;
}

/** By the types of their messages, without `svc:`. */
export interface RuntimeEvents {
  ready: { version: string; fields: Field[] };
  resize: { width: number; height: number };
  "values:changed": { fieldKey: string; value: unknown; allValues: Values };
  "execution:started": { executionId: string };
  "execution:progress": { executionId: string; progress: number; status: string };
  "execution:completed": RunResult;
  "execution:failed": { executionId: string; error: string; code: string };
  error: Refusal;
}

export interface EditorEvents {
  "editor:ready": { version: string; acceptedMessages: string[] };
  "editor:saved": SavedWorkflow;
  "editor:saveFailed": Refusal & { issues?: unknown[]; requestId?: string };
  error: Refusal;
}

export interface SavedWorkflow {
  workflowId: string;
  name: string;
  version: number;
  etag: string;
  created: boolean;
  requestId?: string;
}

export type Listeners<Events> = { [Name in keyof Events]?: (payload: Events[Name]) => void };

/** Parts that both handles have. */
export interface Handle<Events, Ready> {
  readonly iframe: HTMLIFrameElement;
  /** Rejects with an `SdkError` if the frame cannot start. */
  readonly ready: Promise<Ready>;
  setTheme(theme: Theme): Promise<void>;
  setCustomCss(css: string): Promise<void>;
  /** Calls `listener` for each event; the returned function ends that. */
  on<Name extends keyof Events>(name: Name, listener: (payload: Events[Name]) => void): () => void;
  /** Removes the frame; calls that were not answered reject with `destroyed`. */
  destroy(): void;
}

export interface Runtime extends Handle<RuntimeEvents, RuntimeEvents["ready"]> {
  setValues(values: Values): Promise<void>;
  setLocale(locale: string): Promise<void>;
  /** Starts a run, and resolves when it has ended. */
  execute(): Promise<RunResult>;
  cancel(): Promise<void>;
  reset(): Promise<void>;
}

export interface Editor extends Handle<EditorEvents, EditorEvents["editor:ready"]> {
  /** Saves and publishes the workflow. */
  save(): Promise<SavedWorkflow>;
  /** Saves if something changed, starts a run, and resolves when it has ended. */
  run(): Promise<{ executionId: string; status: string }>;
}
