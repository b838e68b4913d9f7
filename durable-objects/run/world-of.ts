import { inlineNodeContext } from "../../src/domain/executions/inline-node-context.ts";
import type { RunWorld } from "../../src/engine/drive/run-world.ts";
import type { Env } from "../../src/platform/env.ts";
import type { DrawAttempts } from "./draw-attempts.ts";
import type { RunFacts } from "./live-run.ts";
import { runLogger } from "./run-logger.ts";
import type { RunStore } from "./run-store.ts";
import { createRunWorld } from "./run-world.ts";

/** What a run's driver reaches the outside by. */
export function worldOf(
  env: Env,
  facts: RunFacts,
  seed: string,
  draws: DrawAttempts,
  store: RunStore,
): RunWorld {
  return createRunWorld({
    files: env.FILES,
    log: runLogger(facts),
    nodeContext: inlineNodeContext(env.FILES, facts.workspace_id),
    workspaceId: facts.workspace_id,
    runId: facts.run_id,
    seed,
    beforeStoring: () => {
      store.noteFiles();
      // Its key comes of the run's seed, which a run that is in memory only would lose in a crash.
      store.keep();
    },
    awaitNextAttempt: (node, ord) => draws.awaitNext(node, ord),
  });
}
