import { inlineNodeContext } from "../../src/domain/executions/inline-node-context.ts";
import type { RunWorld } from "../../src/engine/drive/run-world.ts";
import type { Env } from "../../src/platform/env.ts";
import type { DrawAttempts } from "./draw-attempts.ts";
import type { RunFacts } from "./live-run.ts";
import { runLogger } from "./run-logger.ts";
import { createRunWorld } from "./run-world.ts";

/** What a run's driver reaches the outside by. */
export function worldOf(env: Env, facts: RunFacts, seed: string, draws: DrawAttempts): RunWorld {
  return createRunWorld({
    files: env.FILES,
    log: runLogger(facts),
    nodeContext: inlineNodeContext(env.FILES, facts.workspace_id),
    workspaceId: facts.workspace_id,
    runId: facts.run_id,
    seed,
    awaitNextAttempt: (node, ord) => draws.awaitNext(node, ord),
  });
}
