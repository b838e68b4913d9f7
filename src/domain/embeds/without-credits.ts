import type { EmbedExecution } from "../../contracts/embeds/embed-execution.ts";
import type { Execution } from "../../contracts/runs/run.ts";
import type { ViewInput } from "../../engine/view/view-input.ts";

/** Codes of failures whose messages state amounts of credits. */
const OF_CREDITS = new Set([
  "insufficient_credits",
  "INSUFFICIENT_CREDITS",
  "ADMISSION_LIMIT_EXCEEDED",
]);

const MESSAGE = "The workflow cannot run at the moment. Its owner can help.";

/** The message of a failure for callers who must not see amounts of credits. */
function told(code: string | null, message: string): string;
function told(code: string | null, message: string | null): string | null;
function told(code: string | null, message: string | null): string | null {
  return code !== null && message !== null && OF_CREDITS.has(code) ? MESSAGE : message;
}

/** An execution as `/api/embed` shows it (docs/contract/embeds.md#executions). */
export function embedExecution(execution: Execution): EmbedExecution {
  const { credits_used: _credits, as_of: _moment, ...shown } = execution;
  return {
    ...shown,
    error_message: told(shown.error_code, shown.error_message),
    outputs: shown.outputs.map((output) =>
      output.error == null
        ? output
        : {
            ...output,
            error: { ...output.error, message: told(output.error.code, output.error.message) },
          },
    ),
  };
}

/** A view of a run whose result has no credits. */
export function withoutCredits(view: ViewInput): ViewInput {
  const { run } = view;
  return {
    ...view,
    run: { ...run, hidesCredits: true, errorMessage: told(run.errorCode, run.errorMessage) },
    cause(output, cell) {
      const cause = view.cause(output, cell);
      return cause === null ? null : { ...cause, message: told(cause.code, cause.message) };
    },
  };
}
