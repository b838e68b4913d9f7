import type { RenderFailure, RenderFailureCode } from "../../contracts/templates/renderer.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { type RenderProblem, RenderTooLargeError } from "../../templates/layout/options.ts";
import { DocumentInvalidError } from "./kept-templates.ts";

const TIME_MAX_MS = LIMITS.render_time.value;

/** A render that ends with a failure of its own; others are defects or faults of stores. */
export class FailedRender extends Error {
  override readonly name = "FailedRender";
  readonly failure: RenderFailure;

  constructor(code: RenderFailureCode, message: string, more: Partial<RenderFailure> = {}) {
    super(message);
    this.failure = { ok: false, code, message, errors: [], may_retry: false, ...more };
  }
}

/** `what` says why the selection selects nothing. */
export function pageSelectionFailed(what: string): FailedRender {
  return new FailedRender(
    "page_selection",
    `${what}. Select pages that exist: all, 1, 1-3, or 1,3-5.`,
  );
}

/** Problems that a layout found, of which there is at least one. */
export function problemsFailed(
  problems: readonly RenderProblem[],
  mayRetryPictures: boolean,
): FailedRender {
  const errors = problems.map(({ code, field, message }) => ({
    field: field === "" ? "" : `values.${field}`,
    code,
    message,
  }));
  const [first] = errors;
  const ofPictures = errors.every(({ code }) => code === "IMAGE_FAILED");
  return new FailedRender("failed", first?.message ?? "The render failed.", {
    errors,
    may_retry: ofPictures && mayRetryPictures,
  });
}

/**
 * Runs the render of one document within its time. Rejects with FailedRender for failures of the render, with the
 * signal's reason, and with errors of the stores.
 */
export async function withinRenderTime<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  timeMaxMs: number = TIME_MAX_MS,
): Promise<T> {
  // Not AbortSignal.timeout(), which nothing can stop: its timer wakes the isolate long after the render.
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new DOMException("The render took too long.", "TimeoutError"));
  }, timeMaxMs);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    if (error instanceof FailedRender) {
      throw error;
    }
    if (error instanceof RenderTooLargeError) {
      throw new FailedRender("too_large", error.message);
    }
    if (error instanceof DocumentInvalidError) {
      throw new FailedRender("unavailable", `The document is not valid: ${error.message}`);
    }
    if (limit.signal.aborted && !signal.aborted) {
      throw new FailedRender(
        "timeout",
        `The render took longer than ${timeMaxMs / 1_000} s. Send fewer rows or smaller pictures.`,
      );
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
