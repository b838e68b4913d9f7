import type { RenderFailure } from "../../contracts/renderer.ts";
import { MemoryGate } from "../../lib/memory-gate.ts";
import type { RendererEnv } from "../../platform/env.ts";
import { inTurn, RenderBusyError } from "./render-gate.ts";
import { type MadeRender, type RenderJob, renderTemplate } from "./render-template.ts";
import { RendererParts } from "./renderer-parts.ts";

/** Of a render besides wasm and what is kept: a document, pictures, pages, the PDF and page images. */
const RENDER_BYTES = 40 * 1024 * 1024;

// Created once per isolate: compiled wasm, open faces and prepared documents.
const parts = new RendererParts();

/**
 * Renders in the workspace's turn, with memory of the isolate's budget. A render that may not queue is refused with `busy`
 * when too many wait. Rethrows errors of the stores, and the signal's reason.
 */
export async function render(
  env: RendererEnv,
  job: RenderJob,
  signal: AbortSignal,
): Promise<MadeRender | RenderFailure> {
  const { workspace_id: workspaceId, may_queue: mayQueue } = job.request;
  try {
    return await inTurn({ workspaceId, mayQueue, signal }, () =>
      new MemoryGate().use(RENDER_BYTES, () => renderTemplate(env, parts, job, signal)),
    );
  } catch (error) {
    if (error instanceof RenderBusyError) {
      const message = "Too many renders of this workspace are waiting. Try again later.";
      return { ok: false, code: "busy", message, errors: [], may_retry: true };
    }
    throw error;
  }
}
