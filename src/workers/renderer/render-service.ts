import type {
  ImportedSvg,
  Inspected,
  InspectRequest,
  RefusedSvg,
  RenderFailure,
  RenderRequest,
} from "../../contracts/templates/renderer.ts";
import type { RendererEnv } from "../../platform/env.ts";
import type { RenderJob } from "./document-render.ts";
import { inspectTemplate } from "./inspect-template.ts";
import { type ColorUse, countColors } from "../../render/svg/count-colors.ts";
import { type DrawingImport, importDrawing } from "../../render/svg/import-drawing.ts";
import { readDrawing } from "../../render/svg/read-drawing.ts";
import { writeCollection, type CollectionJob } from "./render-collection.ts";
import { RenderBusyError, RenderGate, type TurnRequest } from "./render-gate.ts";
import { type MadeRender, type RenderFiles, renderTemplate } from "./render-template.ts";
import { withMemory } from "./render-memory.ts";
import { RendererParts } from "./renderer-parts.ts";

/** Of a render besides wasm and what is kept: a document, pictures, pages, the PDF and page images. */
const RENDER_BYTES = 24 * 1024 * 1024;

/** A color profile, the same compressed, and its copy in the PDF. */
const PROFILE_COPIES = 3;

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
  return await new RenderGate(workspaceId).inTurn({ mayQueue: true, signal }, () =>
    withMemory(RENDER_BYTES, () => Promise.resolve(work())),
  );
}

/** What happens to what a render makes, while its memory is still counted. */
export interface RenderSink<I, P, T> extends RenderFiles<I, P> {
  finish(made: MadeRender<I, P>): Promise<T> | T;
}

/**
 * Renders in the workspace's turn, with memory of the isolate's budget. A render that may not queue is refused with `busy`
 * when too many wait. Rethrows errors of the stores and of the sink, and the signal's reason.
 */
export async function render<I, P, T>(
  env: RendererEnv,
  job: RenderJob,
  sink: RenderSink<I, P, T>,
  signal: AbortSignal,
  gate = new RenderGate(job.request.workspace_id),
): Promise<T | RenderFailure> {
  const { may_queue: mayQueue } = job.request;
  const bytes = RENDER_BYTES + profileBytes(job.request);
  return await inTurnOf(gate, { mayQueue, signal }, bytes, async () => {
    const made = await renderTemplate({ env, parts }, job, sink, signal);
    return made.ok ? await sink.finish(made) : made;
  });
}

function profileBytes({ options }: RenderRequest): number {
  return PROFILE_COPIES * (options.color_profile?.size_bytes ?? 0);
}

/** Looks up what a document names, in the workspace's turn: preparing a document takes as much as a small render. */
export async function inspect(
  env: RendererEnv,
  request: InspectRequest,
): Promise<Inspected | RenderFailure> {
  const { signal } = new AbortController();
  const gate = new RenderGate(request.workspace_id);
  return await inTurnOf(gate, { mayQueue: false, signal }, RENDER_BYTES, () =>
    inspectTemplate(env, parts.templates, request),
  );
}

async function inTurnOf<T>(
  gate: RenderGate,
  turn: TurnRequest,
  bytes: number,
  work: () => Promise<T | RenderFailure>,
): Promise<T | RenderFailure> {
  try {
    return await gate.inTurn(turn, () => withMemory(bytes, work));
  } catch (error) {
    if (error instanceof RenderBusyError) {
      const message = "Too many renders of this workspace are waiting. Try again later.";
      return { ok: false, code: "busy", message, errors: [], may_retry: true };
    }
    throw error;
  }
}

/**
 * Renders documents into one PDF, in one turn of the workspace, and passes its bytes to `store` as they are written. Throws
 * FailedRender, and what `writeCollection` throws.
 */
export function collect<T>(
  env: RendererEnv,
  job: CollectionJob,
  store: (pieces: AsyncIterable<Uint8Array>) => Promise<T>,
  signal: AbortSignal,
  gate: RenderGate,
): Promise<T> {
  return gate.inTurn({ mayQueue: true, signal }, () =>
    withMemory(RENDER_BYTES + profileBytes(job.request), async () => {
      const end = parts.begin();
      try {
        return await store(writeCollection({ env, parts }, job, signal));
      } finally {
        end();
      }
    }),
  );
}
