/** One side of a comparison: an ended run, read from its object. */
import type {
  ComparableRun,
  ElementsPage,
  RunValuesRequest,
} from "../../../contracts/runs/run-comparison-api.ts";
import { VALUES_MAX } from "../../../contracts/runs/run-comparison-api.ts";
import { isTerminal } from "../../../contracts/runs/run.ts";
import type { StoredValue } from "../../../contracts/runs/task.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import { unwrap } from "../../../lib/result.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { runObject } from "../../../storage/objects/run-object.ts";
import { executionFromIndex } from "../read/execution-from-index.ts";
import { findIndexedRun, loadRunVersion } from "../read/find-indexed-run.ts";
import { unstartedTrace } from "../read/read-trace.ts";
import { runCaller } from "../run-caller.ts";

export class ComparedRun {
  readonly #ctx: CallerContext;
  readonly run: ComparableRun;

  private constructor(ctx: CallerContext, run: ComparableRun) {
    this.#ctx = ctx;
    this.run = run;
  }

  /** Throws `not_found`, `forbidden`, `not_completed` and `outputs_expired`. */
  static async read(ctx: CallerContext, runId: string): Promise<ComparedRun> {
    const found = await runObject(ctx, runId).comparable(runCaller(ctx));
    return new ComparedRun(ctx, found.ok ? found.value : await unstarted(ctx, runId, found));
  }

  async elements(node: number, from: number): Promise<ElementsPage> {
    const request = { ...runCaller(this.#ctx), node, from };
    return unwrap(await this.#object.comparableElements(request));
  }

  async values(places: RunValuesRequest["places"]): Promise<readonly (StoredValue | null)[]> {
    const values: (StoredValue | null)[] = [];
    for (let at = 0; at < places.length; at += VALUES_MAX) {
      const request = { ...runCaller(this.#ctx), places: places.slice(at, at + VALUES_MAX) };
      values.push(...unwrap(await this.#object.comparableValues(request)));
    }
    return values;
  }

  get #object() {
    return runObject(this.#ctx, this.run.execution.id);
  }
}

/** A run that was refused at admission: it has a definition, and nothing was submitted or made. */
async function unstarted(
  ctx: CallerContext,
  runId: string,
  failure: Parameters<typeof findIndexedRun>[2],
): Promise<ComparableRun> {
  const row = await findIndexedRun(ctx, runId, failure);
  if (!isTerminal(row.status)) {
    throw new AppError(
      "not_completed",
      `The run is ${row.status}. Runs can be compared once both have ended.`,
    );
  }
  const version = await loadRunVersion(ctx, row);
  return {
    execution: executionFromIndex(row),
    trace: await unstartedTrace(ctx, row),
    definition_json: version?.definition_json ?? "",
    inputs: [],
    parameters: [],
    outputs: [],
    contents: [],
  };
}
