/** Load that the counting Worker makes itself: in place of the runner, and of callers of one workspace object. */

/** A submit that reached a workspace object. */
export interface LastAdmit {
  readonly objectId: string;
  readonly request: { readonly start: { readonly run_id: string } };
}

export interface ChunkHint {
  readonly run_id: string;
  readonly chunk: number;
}

/** The output of each task of the replaced runner: a JSON value of 300 characters. */
const OUTPUT = `["j",{"text":"${"0123456789".repeat(29)}"}]`;
/** Pause between two reports, so that the run has processed the first before the next arrives. */
const REPORT_GAP_MS = 3;

/** One report at a time, of whichever chunk. */
let reporting: Promise<unknown> = Promise.resolve();

/** Claims a chunk as the runner does, and reports its tasks `by` at a time. */
export async function workAndReport(runs: DurableObjectNamespace, hint: ChunkHint, by: number) {
  const run = runs.get(runs.idFromName(hint.run_id)) as unknown as {
    claim(request: unknown): Promise<{
      tasks: readonly { readonly task_id: number; readonly fence: number }[];
    } | null>;
    report(request: unknown): Promise<unknown>;
  };
  const claim = await run.claim({ v: 1, chunk: hint.chunk, executor: "counted" });
  const reports = (claim?.tasks ?? []).map(({ task_id, fence }) => ({
    task_id,
    fence,
    duration_ms: 1,
    outcome: { kind: "ok", outputs: [{ port: "check", value: OUTPUT }] },
  }));
  for (let from = 0; from < reports.length; from += by) {
    const batch = reports.slice(from, from + by);
    reporting = reporting.then(async () => {
      await run.report({ v: 1, reports: batch });
      await scheduler.wait(REPORT_GAP_MS);
    });
  }
  await reporting;
}

const SATURATING_CALLS = 600;
/** Enough concurrent calls that the object always has another to serve. */
const AT_ONCE = 32;
const ENDED = {
  v: 1,
  status: "completed",
  progress: 100,
  settled_milli_credits: 0,
  error_code: null,
  error_message: null,
  started_at_ms: 0,
  completed_at_ms: 0,
} as const;

/** Milliseconds that one saturated workspace object takes to admit and close a run. */
export async function saturate(
  workspaces: DurableObjectNamespace,
  last: LastAdmit | undefined,
): Promise<Response> {
  if (last === undefined) {
    return new Response("No run was submitted yet.", { status: 409 });
  }
  const { objectId, request } = last;
  const object = workspaces.get(workspaces.idFromString(objectId)) as unknown as {
    admit(request: unknown): Promise<{ ok: boolean; value?: { kind: string } }>;
    close(request: unknown): Promise<unknown>;
  };
  const runs = Array.from(
    { length: SATURATING_CALLS },
    () => `run_${crypto.randomUUID().replaceAll("-", "")}`,
  );
  const admitMs = await each(runs, async (run_id) => {
    const start = { ...request.start, run_id };
    const { value } = await object.admit({ ...request, start, idempotency: null });
    if (value?.kind !== "admitted") {
      throw new Error(`a submit returned ${String(value?.kind)}`);
    }
  });
  const closeMs = await each(runs, (run_id) => object.close({ ...ENDED, run_id }));
  return Response.json({ admitMs, closeMs });
}

async function each(runs: readonly string[], act: (run: string) => Promise<unknown>) {
  const left = [...runs];
  const startedAt = Date.now();
  const worker = async () => {
    for (let run = left.pop(); run !== undefined; run = left.pop()) {
      await act(run);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (Date.now() - startedAt) / runs.length;
}
