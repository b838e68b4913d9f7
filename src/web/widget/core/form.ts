/** The values of the form: set by the person and by commands, checked, uploaded, and told to the host. */
import { ApiFailure, type Clock, type EmbedApi } from "./api.ts";
import { type FieldConfig, kindOf } from "./config.ts";
import { EMPTY_FIELD, type FieldState, type Store, type Upload } from "./state.ts";
import { uploadFile, type UploadProgress } from "./upload-file.ts";
import {
  defaultOf,
  extensionOf,
  fileProblem,
  type FieldValue,
  type InputEntry,
  isPublicAddress,
  parseJsonText,
  parseNumber,
  type Problem,
  problemOf,
  type Read,
  readValue,
  toEntry,
} from "./values.ts";

/** Longest time that typing is gathered before the host is told, in milliseconds. */
const TYPING_MS = 150;

export interface FormTools {
  readonly store: Store;
  readonly api: () => EmbedApi;
  readonly clock: Clock;
  readonly emit: (type: string, payload: unknown) => void;
  readonly newKey: () => string;
}

export class Form {
  readonly #tools: FormTools;
  /** Values of `svc:init`, which a reset restores. */
  readonly #initial = new Map<string, FieldValue>();
  readonly #untold = new Set<string>();
  #telling: AbortController | null = null;

  constructor(tools: FormTools) {
    this.#tools = tools;
  }

  get configs(): readonly FieldConfig[] {
    return this.#tools.store.state.config?.fields ?? [];
  }

  config(key: string): FieldConfig | undefined {
    return this.configs.find((field) => field.key === key);
  }

  /** All values by key, as the host is told. */
  values(): Readonly<Record<string, FieldValue>> {
    const { store } = this.#tools;
    return Object.fromEntries(this.configs.map(({ key }) => [key, store.field(key).value]));
  }

  /** Sets all fields to their defaults and the values of `svc:init`. */
  clear(): void {
    const { store } = this.#tools;
    for (const { upload } of Object.values(store.state.fields)) {
      upload?.abort.abort();
    }
    store.set({
      fields: Object.fromEntries(
        this.configs.map((field) => [
          field.key,
          {
            ...EMPTY_FIELD,
            // `svc:init` may have emptied it, too.
            value: this.#initial.has(field.key)
              ? (this.#initial.get(field.key) ?? null)
              : defaultOf(field),
          },
        ]),
      ),
    });
  }

  /** The same, told to the host where a value changed. */
  reset(): void {
    const before = this.values();
    this.clear();
    this.#tell(this.#changedSince(before));
  }

  /** Keys of the fields whose value is another one than before, in their order. */
  #changedSince(before: Readonly<Record<string, FieldValue>>): readonly string[] {
    const now = this.values();
    return Object.keys(now).filter((key) => !isSame(before[key] ?? null, now[key] ?? null));
  }

  /** The person typed: a text, a number, JSON, or the address of a file. */
  type(key: string, text: string): void {
    const field = this.config(key);
    if (field === undefined) {
      return;
    }
    const kind = kindOf(field);
    const value =
      kind === "number"
        ? parseNumber(text)
        : kind === "json"
          ? parseJsonText(text)
          : kind === "file"
            ? addressOf(text)
            : text;
    const before = this.#tools.store.field(key);
    const problem =
      value === undefined && kind === "json"
        ? ({ code: "json" } as const)
        : before.problem === null
          ? null
          : this.#problem(field, { ...before, value: value ?? null, draft: text });
    this.#tools.store.setField(key, {
      value: value ?? null,
      draft: kind === "text" ? null : text,
      problem,
      file: null,
    });
    this.#typed(key);
  }

  /** The person chose or ticked. */
  choose(key: string, value: string | boolean | null): void {
    const field = this.config(key);
    if (field !== undefined) {
      this.#tools.store.setField(key, { value, draft: null, problem: problemOf(field, value) });
      this.#tell([key]);
    }
  }

  /** The person left the control: its problem is shown. */
  leave(key: string): void {
    const field = this.config(key);
    if (field !== undefined) {
      const state = this.#tools.store.field(key);
      const problem = this.#problem(field, state);
      // A file's own refusal stays until another file is chosen.
      if (state.problem?.code.startsWith("file_") !== true) {
        this.#tools.store.setField(key, { problem });
      }
      this.flush();
    }
  }

  showAddress(key: string, isAddress: boolean): void {
    this.remove(key);
    this.#tools.store.setField(key, { isAddress });
  }

  remove(key: string): void {
    const { store } = this.#tools;
    const { upload, value } = store.field(key);
    upload?.abort.abort();
    store.setField(key, { ...EMPTY_FIELD, isAddress: store.field(key).isAddress });
    if (value !== null) {
      this.#tell([key]);
    }
  }

  /**
   * Uploads a file that the person chose or a command sent. Resolves when the value is set; rejects if it is not. One of
   * `svc:init` is not told, and a reset restores it.
   */
  async addFile(key: string, file: File, isInitial = false): Promise<void> {
    const field = this.config(key);
    if (field === undefined) {
      return;
    }
    const { store } = this.#tools;
    store.field(key).upload?.abort.abort();
    const problem = fileProblem(field, file);
    if (problem !== null) {
      store.setField(key, { ...EMPTY_FIELD, problem });
      throw new ApiFailure("upload_failed", 400);
    }
    await this.#upload(key, file, { key: this.#tools.newKey(), sessionId: null }, isInitial);
  }

  /** Continues an upload that stopped. */
  async continueUpload(key: string): Promise<void> {
    const { upload } = this.#tools.store.field(key);
    if (upload?.state === "stopped") {
      await this.#upload(key, upload.file, upload.progress, upload.isInitial);
    }
  }

  async #upload(
    key: string,
    file: File,
    progress: UploadProgress,
    isInitial: boolean,
  ): Promise<void> {
    const { store, clock } = this.#tools;
    const abort = new AbortController();
    const upload: Upload = { file, sentBytes: 0, state: "sending", progress, isInitial, abort };
    const isMine = () => store.field(key).upload?.abort === abort;
    store.setField(key, { ...EMPTY_FIELD, upload });
    try {
      const onSent = (sentBytes: number): void => {
        if (isMine()) {
          const state = sentBytes >= file.size ? "checking" : "sending";
          store.setField(key, { upload: { ...upload, sentBytes, state } });
        }
      };
      const stored = await uploadFile(
        this.#tools.api(),
        clock,
        file,
        progress,
        onSent,
        abort.signal,
      );
      if (isMine()) {
        const { path, name, content_type, size_bytes } = stored;
        const value = { asset_path: path, name, content_type, size_bytes };
        store.setField(key, { ...EMPTY_FIELD, value, file });
        if (isInitial) {
          this.#initial.set(key, value);
        } else {
          this.#tell([key]);
        }
      }
    } catch (error) {
      if (isMine()) {
        const sentBytes = store.field(key).upload?.sentBytes ?? 0;
        const refused = error instanceof ApiFailure ? this.#refusedFile(key, error.status) : null;
        store.setField(
          key,
          refused !== null
            ? { ...EMPTY_FIELD, problem: refused }
            : { upload: { ...upload, sentBytes, state: "stopped" }, problem: { code: "upload" } },
        );
      }
      throw error;
    }
  }

  /** Why the service did not take a file; null for a failure that may pass. */
  #refusedFile(key: string, status: number): Problem | null {
    if (status === 400 || status === 415 || status === 422) {
      return { code: "file_type", values: { types: typesOf(this.config(key)) } };
    }
    // A full quota, too many uploads, a token that has ended.
    return status >= 400 && status < 500 ? { code: "file_refused" } : null;
  }

  /** Files uploaded under an earlier token cannot be named by a run of the new one. */
  forgetFiles(): void {
    const { store } = this.#tools;
    const before = this.values();
    for (const { key } of this.configs) {
      const { value, upload } = store.field(key);
      if (
        upload !== null ||
        (typeof value === "object" && value !== null && "asset_path" in value)
      ) {
        upload?.abort.abort();
        store.setField(key, { ...EMPTY_FIELD, problem: { code: "file_again" } });
      }
    }
    this.#tell(this.#changedSince(before));
  }

  /**
   * Reads values of a command: all of them, or the keys that are unknown or of the wrong type.
   */
  readAll(
    payload: Readonly<Record<string, unknown>>,
  ): { readonly read: ReadonlyMap<string, Read> } | { readonly wrong: readonly string[] } {
    const read = new Map<string, Read>();
    const wrong: string[] = [];
    for (const [key, raw] of Object.entries(payload)) {
      const field = this.config(key);
      const value: Read = field === undefined ? { wrong: true } : readValue(field, raw);
      if ("wrong" in value) {
        wrong.push(key);
      } else {
        read.set(key, value);
      }
    }
    return wrong.length === 0 ? { read } : { wrong };
  }

  /** Applies values that were read. Values of `svc:init` are not told, and a reset restores them. */
  async apply(read: ReadonlyMap<string, Read>, isInitial: boolean): Promise<void> {
    const { store } = this.#tools;
    const uploads: Promise<void>[] = [];
    const before = this.values();
    for (const [key, entry] of read) {
      if ("file" in entry) {
        uploads.push(this.addFile(key, fileOf(entry.file, this.config(key)), isInitial));
      } else if ("value" in entry) {
        store.field(key).upload?.abort.abort();
        const isAddress =
          typeof entry.value === "object" && entry.value !== null && "url" in entry.value;
        store.setField(key, { ...EMPTY_FIELD, value: entry.value, isAddress });
        if (isInitial) {
          this.#initial.set(key, entry.value);
        }
      }
    }
    if (!isInitial) {
      const changed = new Set(this.#changedSince(before));
      // A file is told once it is uploaded.
      this.#tell(
        [...read].flatMap(([key, entry]) => ("value" in entry && changed.has(key) ? [key] : [])),
      );
    }
    await Promise.all(uploads);
  }

  /** Shows every problem; returns the fields that have one, in order. */
  check(): readonly { readonly key: string; readonly problem: Problem }[] {
    const { store } = this.#tools;
    const problems = this.configs.flatMap((field) => {
      const problem = this.#problem(field, store.field(field.key));
      return problem === null ? [] : [{ key: field.key, problem }];
    });
    for (const { key } of this.configs) {
      const problem = problems.find((found) => found.key === key)?.problem ?? null;
      store.setField(key, { problem });
    }
    return problems;
  }

  /** What a run is sent. */
  inputs(): Readonly<Record<string, InputEntry>> {
    return Object.fromEntries(
      this.configs.flatMap((field) => {
        const entry = toEntry(field, this.#tools.store.field(field.key).value);
        return entry === undefined ? [] : [[field.key, entry]];
      }),
    );
  }

  #problem(field: FieldConfig, { value, draft, upload }: FieldState): Problem | null {
    if (upload !== null) {
      return { code: upload.state === "stopped" ? "upload" : "uploading" };
    }
    if (draft !== null && draft.trim() !== "" && value === null) {
      const kind = kindOf(field);
      // JSON has a value of its own for nothing.
      if (!(kind === "json" && draft.trim() === "null")) {
        return { code: kind === "number" ? "number" : kind === "json" ? "json" : "url" };
      }
    }
    return problemOf(field, value);
  }

  #typed(key: string): void {
    this.#untold.add(key);
    if (this.#telling === null) {
      const telling = new AbortController();
      this.#telling = telling;
      void this.#tools.clock.wait(TYPING_MS, telling.signal).then(() => {
        if (this.#telling === telling) {
          this.flush();
        }
      });
    }
  }

  /** Tells the host what was typed and not told yet. */
  flush(): void {
    this.#telling?.abort();
    this.#telling = null;
    const keys = [...this.#untold];
    this.#untold.clear();
    const allValues = this.values();
    for (const fieldKey of keys) {
      this.#tools.emit("svc:values:changed", { fieldKey, value: allValues[fieldKey], allValues });
    }
  }

  /** Tells the host of changes, and of what was typed and not told yet; each field once. */
  #tell(keys: readonly string[]): void {
    for (const key of keys) {
      this.#untold.add(key);
    }
    this.flush();
  }
}

function addressOf(text: string): FieldValue | undefined {
  const trimmed = text.trim();
  return trimmed === "" ? null : isPublicAddress(trimmed) ? { url: trimmed } : undefined;
}

function typesOf(field: FieldConfig | undefined): string {
  return field?.accept?.map((type) => type.slice(1)).join(", ") ?? "";
}

function isSame(a: FieldValue, b: FieldValue): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Extensions of media types whose second half is not the extension. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/jpeg": ".jpg",
  "image/svg+xml": ".svg",
  "video/quicktime": ".mov",
  "audio/mpeg": ".mp3",
  "audio/mp4": ".m4a",
  "text/plain": ".txt",
  "text/vtt": ".vtt",
  "model/gltf-binary": ".glb",
};

/** A file of a message. Bytes without a name get that of the field, and the extension of their type. */
function fileOf(blob: Blob, field: FieldConfig | undefined): File {
  if (blob instanceof File && extensionOf(blob.name) !== "") {
    return blob;
  }
  const type = blob.type.split(";")[0] ?? "";
  const extension =
    EXTENSIONS[type] ??
    (type === "" ? (field?.accept?.[0] ?? "") : `.${type.split("/")[1] ?? "bin"}`);
  return new File([blob], `${field?.key ?? "file"}${extension}`, { type: blob.type });
}
