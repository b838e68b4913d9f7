import type { NodeErrorCode } from "./node-error-guides.ts";

export interface NodeErrorOptions {
  /**
   * Whether another attempt of the same work may succeed (network errors, 408, 429, and 5xx of a
   * provider).
   */
  readonly retryable?: boolean;
  /** Minimum delay before the next attempt, from a provider's `Retry-After`. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/**
 * A node's failure. `code` is stable and public (`CALC_DIVISION_BY_ZERO`). `message` may be shown
 * to a customer and therefore contains only the customer's own data. `cause` is only logged.
 */
export class NodeError extends Error {
  override readonly name = "NodeError";
  readonly code: NodeErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: NodeErrorCode, message: string, options: NodeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
