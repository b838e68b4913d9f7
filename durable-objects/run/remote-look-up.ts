import type { CacheAnswer } from "../../src/contracts/runs/result-cache.ts";
import type { LookUps } from "../../src/engine/drive/asked-elements.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import type { Env } from "../../src/platform/env.ts";
import type { RunMetadata } from "./live-run.ts";
import { runLogger } from "./run-logging.ts";
import { HELD_FACT } from "./state/run-schema.ts";
import type { RunStore } from "./state/run-store.ts";
import { hasHeldFiles, withCheckedFiles } from "./tasks/reported-files.ts";

/** The runner waits for the cache, and then for the files of what was found. Without an answer in time there is nothing. */
const FOUND_WITHIN_MS = 11_000;

/** Of one page, which the run holds until it has settled what was found. */
const MOST = { bytes: 2 * 1024 * 1024, objects: 512 };

/** [E47] How a run asks the result cache, which the runner has. */
export function remoteLookUp(
  { RESULT_CACHE }: Pick<Env, "RESULT_CACHE">,
  metadata: RunMetadata,
  store: RunStore,
): LookUps["lookUp"] {
  const { workspace_id, run_id: execution } = metadata;
  return async (wanted) => {
    // The cache remembers that the run takes files of others: a crash must not lose it.
    store.keep();
    let answers: readonly CacheAnswer[];
    try {
      answers = await withDeadline(
        RESULT_CACHE.find({ v: 1, workspace_id, execution, wanted, most: MOST }),
        FOUND_WITHIN_MS,
      );
    } catch (error) {
      runLogger(metadata).error("cache.unreachable", { cause: describeCause(error) });
      return [];
    }
    return answers.map((answer) => checked(answer, workspace_id, store));
  };
}

/** The files of an entry come from another Worker, as those of a report. */
function checked(answer: CacheAnswer, workspaceId: string, store: RunStore): CacheAnswer {
  if (answer === null || answer === "later") {
    return answer;
  }
  const outputs = answer.outputs.map(({ port, value }) => [port, value] as const);
  const outcome = withCheckedFiles({ kind: "ok", outputs }, workspaceId);
  if (hasHeldFiles(outcome) && store.getMetadata(HELD_FACT) === undefined) {
    // Written with the element.
    store.noteMetadata(HELD_FACT, 1);
  }
  return outcome.kind === "ok" ? answer : null;
}
