/** The peer: the same steps on Cloudflare Workflows, one `step.do` per step. */
import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

interface Params {
  readonly steps: number;
  /** All at once, joined at the end, instead of one after the other. */
  readonly isFan: boolean;
  /** Delay of each step, like a step that calls another service. */
  readonly stepMs: number;
}

interface Env {
  readonly CHAIN: Workflow<Params>;
}

/** Steps by instance, counted inside the step, every time it runs. Lost with the process. */
const made = new Map<string, { count: number; lastMs: number }>();

function count(instance: string): void {
  const { count: before = 0 } = made.get(instance) ?? {};
  made.set(instance, { count: before + 1, lastMs: Date.now() });
}

export class ChainWorkflow extends WorkflowEntrypoint<Env, Params> {
  override async run(
    event: Readonly<WorkflowEvent<Params>>,
    step: WorkflowStep,
  ): Promise<number | string> {
    const { steps, isFan, stepMs } = event.payload;
    const act = <T extends number | string>(name: string, result: T): Promise<T> =>
      step.do(name, async () => {
        if (stepMs > 0) {
          await new Promise((resolve) => setTimeout(resolve, stepMs));
        }
        count(event.instanceId);
        return result;
      }) as Promise<T>;
    if (isFan) {
      const lines = Array.from({ length: steps }, (_, i) =>
        act(`item ${i}`, `item ${(i + 1) * 2}`),
      );
      return (await Promise.all(lines)).join("\n");
    }
    let value = 0;
    for (let i = 0; i < steps; i += 1) {
      value = await act(`step ${i}`, value + 1);
    }
    return value;
  }
}

/** The most instances that one call may create. */
const BATCH_MAX = 100;

/** Creates as many instances of `steps` steps; returns what their ids begin with. */
async function createBatch(env: Env, query: URLSearchParams): Promise<string> {
  const [instances, steps] = [Number(query.get("n")), Number(query.get("steps"))];
  const batch = crypto.randomUUID();
  for (let from = 0; from < instances; from += BATCH_MAX) {
    const count = Math.min(BATCH_MAX, instances - from);
    await env.CHAIN.createBatch(
      Array.from({ length: count }, (_, at) => ({
        id: `${batch}-${from + at}`,
        params: { steps, isFan: false, stepMs: 0 },
      })),
    );
  }
  return batch;
}

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const batch = url.searchParams.get("batch");
    if (batch !== null) {
      // Does not query the instances either.
      const ended = [...made.keys()].filter((instance) => instance.startsWith(`${batch}-`));
      return Response.json({ effects: ended.length });
    }
    if (url.pathname === "/batch") {
      return Response.json({ id: await createBatch(env, url.searchParams) }, { status: 202 });
    }
    const id = url.searchParams.get("id");
    if (id !== null) {
      const { count: effects = 0, lastMs = 0 } = made.get(id) ?? {};
      if (url.searchParams.has("count")) {
        // Does not query the instance, which responds late.
        return Response.json({ done: false, settled: effects, effects, lastMs });
      }
      const instance = await env.CHAIN.get(id);
      if (request.method === "DELETE") {
        await instance.terminate();
        return Response.json({ done: true });
      }
      const { status, output, error } = await instance.status();
      return Response.json({
        done: status !== "queued" && status !== "running" && status !== "waiting",
        status,
        value: output,
        settled: effects,
        effects,
        lastMs,
        ...(status === "errored" ? { error: JSON.stringify(error) } : {}),
      });
    }
    const instance = await env.CHAIN.create({
      params: {
        steps: Number(url.searchParams.get("n")),
        isFan: url.pathname === "/fan",
        stepMs: Number(url.searchParams.get("ms") ?? 0),
      },
    });
    return Response.json({ id: instance.id }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;
