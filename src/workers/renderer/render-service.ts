import type {
  ImportedSvg,
  Inspected,
  InspectRequest,
  RefusedSvg,
  RenderFailure,
} from "../../contracts/renderer.ts";
import { MemoryGate } from "../../lib/memory-gate.ts";
import type { RendererEnv } from "../../platform/env.ts";
import { inTurn, RenderBusyError, type TurnRequest } from "./render-gate.ts";
import { inspectTemplate } from "./inspect-template.ts";
import { type ColorUse, countColors } from "../../render/svg/count-colors.ts";
import { type DrawingImport, importDrawing } from "../../render/svg/import-drawing.ts";
import { readDrawing } from "../../render/svg/read-drawing.ts";
import { type MadeRender, type RenderJob, renderTemplate } from "./render-template.ts";
import { RendererParts } from "./renderer-parts.ts";

/** Of a render besides wasm and what is kept: a document, pictures, pages, the PDF and page images. */
const RENDER_BYTES = 40 * 1024 * 1024;

// Created once per isolate: compiled wasm, open faces and prepared documents.
const parts = new RendererParts();

/** Converts a drawing in the workspace's turn, with memory of the isolate's budget. */
export async function importSvg(
  workspaceId: string,
  request: DrawingImport,
): Promise<ImportedSvg | RefusedSvg> {
  return await withDrawing(workspaceId, () => importDrawing(request));
}

/** The colors of a drawing, in the workspace's turn; null if it does not print. */
export async function readColors(workspaceId: string, svg: string): Promise<ColorUse[] | null> {
  return await withDrawing(workspaceId, () => {
    const drawing = readDrawing(svg);
    return typeof drawing === "string" ? null : countColors(drawing.items);
  });
}

async function withDrawing<T>(workspaceId: string, work: () => T): Promise<T> {
  const { signal } = new AbortController();
  return await inTurn({ workspaceId, mayQueue: true, signal }, () =>
    new MemoryGate().use(RENDER_BYTES, () => Promise.resolve(work())),
  );
}

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
  return await withMemory({ workspaceId, mayQueue, signal }, () =>
    renderTemplate(env, parts, job, signal),
  );
}

/** Looks up what a document names, in the workspace's turn: preparing a document takes as much as a small render. */
export async function inspect(
  env: RendererEnv,
  request: InspectRequest,
): Promise<Inspected | RenderFailure> {
  const { signal } = new AbortController();
  return await withMemory({ workspaceId: request.workspace_id, mayQueue: false, signal }, () =>
    inspectTemplate(env, parts.templates, request),
  );
}

async function withMemory<T>(
  turn: TurnRequest,
  work: () => Promise<T | RenderFailure>,
): Promise<T | RenderFailure> {
  try {
    return await inTurn(turn, () => new MemoryGate().use(RENDER_BYTES, work));
  } catch (error) {
    if (error instanceof RenderBusyError) {
      const message = "Too many renders of this workspace are waiting. Try again later.";
      return { ok: false, code: "busy", message, errors: [], may_retry: true };
    }
    throw error;
  }
}
