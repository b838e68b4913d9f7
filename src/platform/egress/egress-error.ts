export type EgressErrorCode =
  /** The address, or one that it redirects to, breaks a rule of the guard. */
  | "url_refused"
  /** No answer in time, or the answer did not end in time. */
  | "timeout"
  /** The name does not resolve, the connection was refused, cut, or is not speaking HTTP. */
  | "connection_failed"
  | "too_many_redirects"
  | "body_too_large";

/** Why a guarded request came to nothing. `message` may reach a customer: it names rules, no address. */
export class EgressError extends Error {
  override readonly name = "EgressError";
  readonly code: EgressErrorCode;

  constructor(code: EgressErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
