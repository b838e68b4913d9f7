/** The peer: the same chain on Cloudflare Workflows, one `step.do` a step. */
import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

interface Params {
  readonly steps: number;
}

interface Env {
  readonly CHAIN: Workflow<Params>;
}

export class ChainWorkflow extends WorkflowEntrypoint<Env, Params> {
  override async run(event: Readonly<WorkflowEvent<Params>>, step: WorkflowStep): Promise<number> {
    let value = 0;
    for (let i = 0; i < event.payload.steps; i += 1) {
      const before = value;
      value = await step.do(`step ${i}`, () => Promise.resolve(before + 1));
    }
    return value;
  }
}

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const id = url.searchParams.get("id");
    if (id !== null) {
      const { status, output } = await (await env.CHAIN.get(id)).status();
      return Response.json({
        done: status !== "queued" && status !== "running",
        status,
        value: output,
      });
    }
    const instance = await env.CHAIN.create({
      params: { steps: Number(url.searchParams.get("n")) },
    });
    return Response.json({ id: instance.id }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;
