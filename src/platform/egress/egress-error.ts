export type EgressErrorCode =
  /** The URL, or one that it redirects to, violates a rule of the guard. */
  | "url_refused"
  /** No response in time, or the response did not end in time. */
  | "timeout"
  /** The name does not resolve, or the connection was refused, cut, or does not speak HTTP. */
  | "connection_failed"
  | "too_many_redirects"
  | "body_too_large";

/** The error of a guarded request. `message` may be shown to a customer: it names rules and contains no address. */
export class EgressError extends Error {
  override readonly name = "EgressError";
  readonly code: EgressErrorCode;

  constructor(code: EgressErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
