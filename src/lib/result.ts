import { AppError, type ErrorCode, type FieldError } from "./errors/errors.ts";

export interface Failure {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly message: string;
  readonly errors?: readonly FieldError[];
  readonly members?: Readonly<Record<string, unknown>>;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Results that cross an RPC boundary are plain data, because error classes are not preserved. */
export type Result<T> = { readonly ok: true; readonly value: T } | Failure;

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function fail(
  code: ErrorCode,
  message: string,
  more: Omit<Failure, "ok" | "code" | "message"> = {},
): Failure {
  return { ok: false, code, message, ...more };
}

/** The failure of an error that was thrown; throws any other error again. */
export function failureOfError(error: unknown): Failure {
  if (!(error instanceof AppError)) {
    throw error;
  }
  const { code, message, headers } = error;
  return { ok: false, code, message, headers };
}

/** On the caller's side of RPC: returns the value, or throws the AppError of the failure. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) {
    return result.value;
  }
  const { code, message, ok: _ok, ...options } = result;
  throw new AppError(code, message, options);
}
