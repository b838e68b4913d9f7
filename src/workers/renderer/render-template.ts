import { createHash } from "node:crypto";
import type { RenderCheck, RenderFailure, RenderRequest } from "../../contracts/renderer.ts";
import type { LayoutReport } from "../../contracts/layout-report.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { writePdf } from "../../render/pdf/write-pdf.ts";
import type { DisplayPage } from "../../templates/display-list.ts";
import type { LayoutOutcome } from "../../templates/layout/lay-out.ts";
import {
  pdfOptions,
  pdfResources,
  type ReadyDocument,
  readyDocument,
  type RenderJob,
  type RenderPlace,
  sharedParts,
  withFaces,
} from "./document-render.ts";
import { FailedRender, problemsFailed, withinRenderTime } from "./failed-render.ts";
import { renderChecks } from "./render-checks.ts";

/** Pages between two pauses, in which an abort and the time are seen. */
const PAGES_BETWEEN_PAUSES = 8;

/** Keeps the image of a page: a PNG, which is valid until the returned promise settles. */
export type KeepImage<I> = (png: Uint8Array, pageNumber: number) => Promise<I> | I;

/** A page of the output that was selected. */
export interface MadePage<I> {
  readonly page_number: number;
  readonly page_id: string;
  readonly label: string;
  readonly width: number;
  readonly height: number;
  /** Its size in pixels, and what `KeepImage` returned. */
  readonly image: { readonly width: number; readonly height: number; readonly kept: I } | null;
}

export interface MadeRender<I> {
  readonly ok: true;
  readonly pageCount: number;
  readonly report: LayoutReport;
  readonly checks: readonly RenderCheck[];
  readonly pages: readonly MadePage<I>[];
  /** Null if it was not asked for. */
  readonly pdf: Uint8Array | null;
}

/**
 * Renders a document with values (docs/contract/templates.md#rendering). Call it in turn: it uses the isolate's only shaper
 * and drawer. Rethrows errors of the stores and of `keep`, and the signal's reason.
 */
export async function renderTemplate<I>(
  place: RenderPlace,
  job: RenderJob,
  keep: KeepImage<I>,
  signal: AbortSignal,
): Promise<MadeRender<I> | RenderFailure> {
  const beganMs = Date.now();
  const end = place.parts.begin();
  try {
    return await withinRenderTime(signal, (limited) => render(place, job, keep, limited, beganMs));
  } catch (error) {
    if (error instanceof FailedRender) {
      return error.failure;
    }
    throw error;
  } finally {
    end();
  }
}

/** Members of a report that the layout does not know. */
type OriginKey = "schema" | "template_id" | "revision" | "version_id" | "duration_ms";

async function render<I>(
  place: RenderPlace,
  job: RenderJob,
  keep: KeepImage<I>,
  signal: AbortSignal,
  beganMs: number,
): Promise<MadeRender<I>> {
  const { request } = job;
  const ready = await readyDocument(place, job, await sharedParts(place, request), signal);
  const { pages, outcome, pdf } = await withFaces(place, request.workspace_id, signal, () =>
    write(place, request, ready, signal),
  );
  if (outcome.problems.length > 0) {
    throw problemsFailed(outcome.problems, ready.pictures.mayRetry);
  }
  const images = await draw(place, request, { pdf, pages }, keep, signal);
  const { template: origin } = request;
  const report: LayoutReport = {
    schema: "svc.template-layout-report/v1",
    template_id: origin.template_id,
    revision: origin.revision,
    version_id: origin.version_id,
    duration_ms: Math.max(0, Date.now() - beganMs),
    ...(structuredClone(outcome.facts) as Omit<LayoutReport, OriginKey>),
  };
  return {
    ok: true,
    pageCount: outcome.facts.page_count,
    report,
    checks: renderChecks(outcome.facts, outcome.notes),
    pages: pages.map(({ pageNumber, pageId, label, width, height }, index) => ({
      page_number: pageNumber,
      page_id: pageId,
      label,
      width,
      height,
      image: images[index] ?? null,
    })),
    pdf: request.has_pdf ? pdf : null,
  };
}

interface Written {
  readonly pages: readonly DisplayPage[];
  readonly outcome: LayoutOutcome;
  readonly pdf: Uint8Array;
}

async function write(
  place: RenderPlace,
  request: RenderRequest,
  { start, template, pictures, given }: ReadyDocument,
  signal: AbortSignal,
): Promise<Written> {
  const layout = start();
  const pages: DisplayPage[] = [];
  let outcome: LayoutOutcome | undefined;
  async function* painted() {
    const generator = layout.pages();
    let next = generator.next();
    for (; next.done !== true; next = generator.next()) {
      // Without its items, which are needed only while the page is written.
      pages.push({ ...next.value, items: [], links: [] });
      yield next.value;
      if (pages.length % PAGES_BETWEEN_PAUSES === 0) {
        await scheduler.wait(0);
        signal.throwIfAborted();
      }
    }
    outcome = next.value;
  }
  const id = createHash("sha256")
    .update(`${request.template.content_hash}\n${canonicalJson(given)}`)
    .digest();
  const writing = writePdf(
    painted(),
    pdfResources(place, pictures),
    pdfOptions(request, template, id),
  );
  const pieces: Uint8Array[] = [];
  for await (const piece of writing) {
    pieces.push(piece);
  }
  if (outcome === undefined) {
    throw new Error("The PDF was written before its pages were laid out.");
  }
  return { pages, outcome, pdf: Buffer.concat(pieces) };
}

async function draw<I>(
  { parts }: RenderPlace,
  { images, options }: RenderRequest,
  { pdf, pages }: Pick<Written, "pdf" | "pages">,
  keep: KeepImage<I>,
  signal: AbortSignal,
): Promise<NonNullable<MadePage<I>["image"]>[]> {
  const drawn = images === "all" ? pages : images === "first" ? pages.slice(0, 1) : [];
  if (drawn.length === 0) {
    return [];
  }
  return await parts.drawer.use(pdf, async (document) => {
    const kept: NonNullable<MadePage<I>["image"]>[] = [];
    for (const [index, { pageNumber }] of drawn.entries()) {
      await scheduler.wait(0);
      signal.throwIfAborted();
      const image = document.draw(index, options.max_page_dimension);
      const png = Buffer.concat([...image.pieces()]);
      const { width, height } = image;
      kept.push({ width, height, kept: await keep(png, pageNumber) });
    }
    return kept;
  });
}
