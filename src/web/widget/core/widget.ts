/** The widget without its view: commands of the host and acts of the person on one state. */
import { type Command, CommandRefused, PROTOCOL_VERSION } from "../../shared/protocol.ts";
import { type Clock, type EmbedApi } from "./api.ts";
import { codeOf, Runs } from "./runs.ts";
import { Form } from "./form.ts";
import { Language, localeOf } from "./locale.ts";
import { applyInit, type Settings } from "./settings.ts";
import { type Notice, Store } from "./state.ts";
import { applyTheme, resolveTheme } from "./theme.ts";
import type { Read } from "./values.ts";

export interface WidgetTools {
  /** Calls with a token. */
  readonly apiFor: (token: string) => EmbedApi;
  readonly clock: Clock;
  readonly emit: (type: string, payload: unknown) => void;
  readonly newKey: () => string;
  readonly prefersDark: () => boolean;
  /** Applies a style sheet of the host; false if parts of it were left out, null if it is too large. */
  readonly applyCss: (css: string) => boolean | null;
  /** Texts of a language; for tests of texts. */
  readonly languageFor?: (locale: string) => Language;
}

type Payload = Readonly<Record<string, unknown>>;

export class Widget {
  readonly store: Store;
  readonly form: Form;
  readonly runs: Runs;
  readonly #tools: WidgetTools;
  #token: string;
  #api: EmbedApi;
  #language: Language;

  constructor(tools: WidgetTools, settings: Settings, token: string) {
    this.#tools = tools;
    this.#token = token;
    this.#api = tools.apiFor(token);
    this.#language = this.#languageFor(settings.locale);
    this.store = new Store({
      settings,
      config: null,
      fields: {},
      run: null,
      finished: null,
      notice: null,
      focus: null,
    });
    const { clock, emit, newKey } = tools;
    const api = () => this.#api;
    const { store } = this;
    this.form = new Form({ store, api, clock, emit, newKey });
    const language = () => this.#language;
    this.runs = new Runs({ store, form: this.form, api, clock, emit, newKey, language });
  }

  get language(): Language {
    return this.#language;
  }

  /** Reads the config and shows the form. Throws `CommandRefused` if the page cannot start, which it then shows. */
  async start(): Promise<void> {
    this.dismiss();
    try {
      this.store.set({ config: await this.#api.config() });
    } catch (error) {
      const refusal = this.#refusal(codeOf(error));
      this.store.set({ notice: { code: refusal.code, requestId: null } });
      throw refusal;
    }
    this.form.clear();
  }

  /** `svc:ready`. */
  ready(): void {
    this.#tools.emit("svc:ready", {
      version: PROTOCOL_VERSION,
      fields: this.form.configs.map(({ key, label, type, required }) => ({
        key,
        label,
        type,
        required,
        value: this.store.field(key).value,
      })),
    });
  }

  /** Runs a command of the host and returns the value of its answer. Throws `CommandRefused`. */
  run({ type, payload }: Command): unknown {
    switch (type) {
      case "svc:init":
        return this.#init(this.#object(payload));
      case "svc:setValues":
        return this.#setValues(this.#object(payload), false);
      case "svc:execute":
        return this.runs.execute();
      case "svc:reset":
        this.reset();
        return undefined;
      case "svc:cancel":
        return this.runs.cancel();
      case "svc:setTheme":
        this.#setTheme(payload);
        return undefined;
      case "svc:setLocale":
        this.#setLocale(this.#object(payload)["locale"]);
        return undefined;
      case "svc:setCustomCss":
        this.#setCss(this.#object(payload)["css"]);
        return undefined;
      case "svc:setToken":
        return this.#setToken(this.#object(payload)["token"]);
    }
    throw this.#refusal("invalid_message");
  }

  /** An act of the person: its refusal is told to the host, as no command waits for it. */
  act(act: () => Promise<unknown>): void {
    act().catch((thrown: unknown) => {
      const refusal = thrown instanceof CommandRefused ? thrown : this.#refusal(codeOf(thrown));
      if (!refusal.isTold) {
        this.tell(refusal.code);
      }
    });
  }

  /** A file that the person chose. A refusal is shown at the field and told to the host. */
  addFile(key: string, file: File): void {
    this.#upload(this.form.addFile(key, file));
  }

  continueUpload(key: string): void {
    this.#upload(this.form.continueUpload(key));
  }

  #upload(upload: Promise<void>): void {
    upload.catch((thrown: unknown) => {
      if (!isAbort(thrown)) {
        this.tell("upload_failed");
      }
    });
  }

  /** Brings back defaults and the values of `svc:init`, empties the results, and stops telling of a running run. */
  reset(): void {
    this.runs.forget();
    this.form.reset();
  }

  /** `svc:error` */
  tell(code: string, values: Readonly<Record<string, string>> = {}): void {
    this.#tools.emit("svc:error", { code, message: this.#language.sentence(code, values) });
  }

  dismiss(): void {
    this.store.set({ notice: null });
  }

  notice(notice: Notice): void {
    this.store.set({ notice });
  }

  async #init(payload: Payload): Promise<void> {
    const { settings, wrong } = applyInit(this.store.state.settings, payload);
    this.store.set({ settings });
    if (wrong.length > 0) {
      this.tell("invalid_message");
    }
    if (payload["theme"] !== undefined && payload["theme"] !== null) {
      this.#setTheme(payload["theme"]);
    }
    if (payload["locale"] !== undefined && payload["locale"] !== null) {
      this.#setLocale(payload["locale"]);
    }
    if (payload["css"] !== undefined && payload["css"] !== null) {
      this.#setCss(payload["css"]);
    }
    if (payload["values"] !== undefined && payload["values"] !== null) {
      await this.#setValues(this.#object(payload["values"]), true);
    }
  }

  async #setValues(payload: Payload, isInitial: boolean): Promise<void> {
    const result = this.form.readAll(payload);
    if ("wrong" in result) {
      const { wrong } = result;
      const shown = wrong.map((key) => JSON.stringify(key.slice(0, 80))).join(", ");
      const message = `${this.#language.sentence("invalid_execution_inputs")} ${shown}`;
      throw new CommandRefused("invalid_execution_inputs", message, { details: { fields: wrong } });
    }
    await this.#apply(result.read, isInitial);
  }

  async #apply(read: ReadonlyMap<string, Read>, isInitial: boolean): Promise<void> {
    try {
      await this.form.apply(read, isInitial);
    } catch (error) {
      if (!isAbort(error)) {
        throw this.#refusal("upload_failed");
      }
    }
  }

  #setTheme(payload: unknown): void {
    const { settings } = this.store.state;
    const applied = applyTheme(settings.theme, payload);
    if (applied === null) {
      throw this.#refusal("invalid_message");
    }
    const { theme, wrong } = applied;
    this.store.set({ settings: { ...settings, theme } });
    if (wrong.length > 0) {
      this.tell("invalid_theme", { names: wrong.join(", ") });
    }
    const { replaced } = resolveTheme(theme, this.#tools.prefersDark());
    if (replaced.length > 0) {
      this.tell("theme_contrast", { names: replaced.join(", ") });
    }
  }

  #setLocale(tag: unknown): void {
    if (typeof tag !== "string") {
      throw this.#refusal("invalid_message");
    }
    const locale = localeOf(tag);
    this.#language = this.#languageFor(locale);
    this.store.set({ settings: { ...this.store.state.settings, locale } });
  }

  #setCss(css: unknown): void {
    const isWhole = typeof css === "string" ? this.#tools.applyCss(css) : undefined;
    if (isWhole === undefined) {
      throw this.#refusal("invalid_message");
    }
    if (isWhole === null) {
      throw this.#refusal("css_sanitized");
    }
    if (!isWhole) {
      this.tell("css_sanitized");
    }
  }

  #setToken(token: unknown): void {
    const before = claimsOf(this.#token);
    const claims = typeof token === "string" ? claimsOf(token) : null;
    if (
      typeof token !== "string" ||
      claims === null ||
      before === null ||
      claims.workflow !== before.workflow ||
      claims.interface !== before.interface
    ) {
      throw this.#refusal("wrong_token");
    }
    this.#token = token;
    this.#api = this.#tools.apiFor(token);
    // Runs and files of the old token are another person's, unless both tokens name the same one.
    const isSamePerson = claims.person !== null && claims.person === before.person;
    this.runs.renew(isSamePerson);
    if (!isSamePerson) {
      this.form.forgetFiles();
    }
    if (this.store.state.notice?.code.startsWith("token_") === true) {
      this.dismiss();
    }
  }

  #object(payload: unknown): Payload {
    if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
      throw this.#refusal("invalid_message");
    }
    // An object that is not an array has members by name only.
    return payload as Payload;
  }

  #refusal(code: string): CommandRefused {
    return new CommandRefused(code, this.#language.sentence(code));
  }

  #languageFor(locale: string): Language {
    return this.#tools.languageFor?.(locale) ?? new Language(locale);
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Claims that decide whether a new token is for the same page. Not verified here: the service does that on each call. */
function claimsOf(
  token: string,
): { readonly workflow: unknown; readonly interface: unknown; readonly person: unknown } | null {
  try {
    const part = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(part), (character) => character.codePointAt(0) ?? 0);
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof claims !== "object" || claims === null) {
      return null;
    }
    const { wf, if: named, end_user_id } = claims as Record<string, unknown>;
    return { workflow: wf, interface: named ?? null, person: end_user_id ?? null };
  } catch {
    return null;
  }
}
