/** Names and limits of the message protocol between a page and the page that embeds it (docs/embeds.md#messages). */

export const PROTOCOL_VERSION = "1";

/** Of a payload, as JSON in UTF-8. */
export const PAYLOAD_BYTES_MAX = 1024 * 1024;
export const REQUEST_ID_CHARS_MAX = 64;
/** Commands that wait until the page is ready. */
export const WAITING_COMMANDS_MAX = 100;

/** Commands of the widget. */
export const RUNTIME_COMMANDS = [
  "svc:init",
  "svc:setValues",
  "svc:execute",
  "svc:cancel",
  "svc:reset",
  "svc:setTheme",
  "svc:setLocale",
  "svc:setCustomCss",
  "svc:setToken",
] as const;

/** Commands of the editor. */
export const EDITOR_COMMANDS = [
  "svc:editor:save",
  "svc:editor:run",
  "svc:editor:setTheme",
  "svc:editor:setCustomCss",
  "svc:setToken",
] as const;

/** What a page posts and accepts. */
export interface Envelope {
  readonly type: string;
  readonly payload?: unknown;
}

export interface Command {
  readonly type: string;
  /** Plain values and files, in objects without a prototype; see `readPayload`. */
  readonly payload: unknown;
  readonly requestId: string | undefined;
}

export interface RefusalDetails {
  /** More members of the message `svc:error`. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** True if the page posts a message of its own about the refusal, so that `svc:error` is not sent. */
  readonly isTold?: boolean;
}

/** A command that is refused: `code` for programs, `message` for people, in the language of the page. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly isTold: boolean;

  constructor(
    code: string,
    message: string,
    { details = {}, isTold = false }: RefusalDetails = {},
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.isTold = isTold;
  }
}
