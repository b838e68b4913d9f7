import { createLogger, type Logger } from "../../src/platform/logger.ts";
import type { RunFacts } from "./live-run.ts";

/** A log whose lines name the run and the request that it came with. */
export function runLogger(facts: RunFacts): Logger {
  return createLogger({
    service: "edgeloom",
    object: "run",
    run_id: facts.run_id,
    correlation_id: facts.correlation_id,
  });
}
