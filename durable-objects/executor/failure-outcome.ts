import type { TaskOutcome } from "../../src/contracts/runs/task.ts";
import { NodeError } from "../../src/lib/errors/node-error.ts";
import type { Logger } from "../../src/platform/logger.ts";
import { TaskGivenBack } from "../../src/lib/task-given-back.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";

/** Platform messages of a connection that broke below the node; such an attempt can be repeated. */
const NETWORK_FAULT =
  /network connection lost|connection (?:was )?(?:reset|refused|closed|terminated)|^fetch failed$|internal error; reference|object to be reset|econn(?:reset|refused)|etimedout/i;

/** Platform messages of an object that is replaced by a deploy; the next instance can run the task. */
const SHUTDOWN = /reset because its code was updated|script has been upgraded/i;

/** The platform's own errors carry `retryable`; others are recognized by their messages. */
function isNetworkFault(error: unknown): boolean {
  return (
    error instanceof Error &&
    (("retryable" in error && error.retryable === true) || NETWORK_FAULT.test(error.message))
  );
}

function isShutdown(error: unknown): boolean {
  return error instanceof Error && !(error instanceof NodeError) && SHUTDOWN.test(error.message);
}

/**
 * Returns the outcome of an attempt that threw. A NodeError is reported as it is; for any other error the customer only
 * learns that it occurred, and the log keeps the cause.
 */
export function failureOutcome(error: unknown, nodeType: string, log: Logger): TaskOutcome {
  if (error instanceof TaskGivenBack || isShutdown(error)) {
    const reason = error instanceof TaskGivenBack ? error.reason : "shutdown";
    log.info("task.given_back", { reason, node_type: nodeType });
    return { kind: "given_back", reason };
  }
  if (error instanceof NodeError) {
    if (error.cause !== undefined) {
      log.error("task.failed", { code: error.code, cause: describeCause(error.cause) });
    }
    return {
      kind: "failed",
      code: error.code,
      message: error.message,
      retryable: error.retryable,
      retry_after_ms: error.retryAfterMs ?? null,
    };
  }
  const isTransient = isNetworkFault(error);
  log.error("task.threw", { is_transient: isTransient, cause: describeCause(error) });
  return {
    kind: "failed",
    code: isTransient ? "NETWORK_ERROR" : "INTERNAL_NODE_ERROR",
    message: isTransient
      ? `A connection broke while ${nodeType} ran. The workflow is not the cause; running it again may succeed.`
      : `${nodeType} failed with an unexpected error. Report it with the correlation id of this run. Other inputs of the node may avoid it.`,
    retryable: isTransient,
    retry_after_ms: null,
  };
}
