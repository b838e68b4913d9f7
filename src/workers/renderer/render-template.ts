import { createHash } from "node:crypto";
import type {
  RenderCheck,
  RenderFailure,
  RenderRequest,
} from "../../contracts/templates/renderer.ts";
import type { LayoutReport } from "../../contracts/templates/layout-report.ts";
import { canonicalJson } from "../../lib/json/canonical-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { writePdf } from "../../render/pdf/write-pdf.ts";
import type { DisplayPage } from "../../templates/display-list.ts";
import type { LayoutOutcome } from "../../templates/layout/lay-out.ts";
import {
  pause,
  pdfOptions,
  pdfResources,
  type ReadyDocument,
  readyDocument,
  type RenderJob,
  type RenderPlace,
  sharedParts,
  withFaces,
  withProfile,
} from "./document-render.ts";
import { withRoomToDraw } from "./draw-room.ts";
import { FailedRender, problemsFailed, withinRenderTime } from "./failed-render.ts";
import { profileBytes } from "./resources/load-pdf-mode.ts";
import { renderChecks } from "./render-checks.ts";

/** Pages between two pauses, in which an abort and the time are seen. */
const PAGES_BETWEEN_PAUSES = 8;
/** Of a PDF that is held in memory. */
const PDF_BYTES_MAX = LIMITS.held_pdf.value;
/** Of one page image. */
const IMAGE_BYTES_MAX = LIMITS.render_images.value;
/** Of a piece that is held: most pieces of a PDF have some bytes. */
const PIECE_BYTES = 128 * 1024;

/** Where the files of a render go. */
export interface RenderFiles<I, P> {
  /** Keeps the image of a page: a PNG in pieces. */
  keepImage(png: readonly Uint8Array[], pageNumber: number): Promise<I> | I;
  keepPdf(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<P> | P;
  /** Whether `keepPdf` holds few pieces of a stream at a time: the PDF may then be larger than memory. */
  readonly streamsPdf: boolean;
}

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

export interface MadeRender<I, P> {
  readonly ok: true;
  readonly pageCount: number;
  readonly report: LayoutReport;
  readonly checks: readonly RenderCheck[];
  readonly pages: readonly MadePage<I>[];
  /** What `keepPdf` returned; null if it was not asked for. */
  readonly pdf: P | null;
}

/**
 * Renders a document with values (docs/contract/templates.md#rendering). Call it in turn: it uses the isolate's only shaper
 * and drawer. Rethrows errors of the stores and of `files`, and the signal's reason.
 */
export async function renderTemplate<I, P>(
  place: RenderPlace,
  job: RenderJob,
  files: RenderFiles<I, P>,
  signal: AbortSignal,
): Promise<MadeRender<I, P> | RenderFailure> {
  const beganMs = Date.now();
  const end = place.parts.begin();
  try {
    return await withinRenderTime(signal, (limited) => render(place, job, files, limited, beganMs));
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

async function render<I, P>(
  place: RenderPlace,
  job: RenderJob,
  files: RenderFiles<I, P>,
  signal: AbortSignal,
  beganMs: number,
): Promise<MadeRender<I, P>> {
  const { request } = job;
  const shared = await sharedParts(place, request, job);
  const { pages, outcome, pdf, images } = await withProfile(place, shared, async () => {
    const ready = await readyDocument(place, job, shared, signal);
    return await make(place, request, ready, files, signal);
  });
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
    pdf,
  };
}

interface Written {
  readonly pages: readonly DisplayPage[];
  readonly outcome: LayoutOutcome;
}

type MadeFiles<I, P> = Written & {
  readonly pdf: P | null;
  readonly images: readonly NonNullable<MadePage<I>["image"]>[];
};

/** Writes the PDF to memory, where pages are drawn from it; one that is too long for that is passed on in pieces. */
async function make<I, P>(
  place: RenderPlace,
  request: RenderRequest,
  ready: ReadyDocument,
  files: RenderFiles<I, P>,
  signal: AbortSignal,
): Promise<MadeFiles<I, P>> {
  const pieces: Uint8Array[] = [];
  const written = await withFaces(place, request.workspace_id, signal, () => {
    pieces.length = 0;
    return hold(write(place, request, ready, signal), pieces);
  });
  if (written === undefined) {
    pieces.length = 0;
    if (!request.has_pdf || request.images !== "none" || !files.streamsPdf) {
      throw new FailedRender(
        "too_large",
        `The PDF has more than ${PDF_BYTES_MAX} bytes. Select fewer pages, or send smaller pictures.`,
      );
    }
    let made: Written | undefined;
    async function* all() {
      made = yield* write(place, request, ready, signal);
      if (made.outcome.problems.length > 0) {
        throw problemsFailed(made.outcome.problems, ready.pictures.mayRetry);
      }
    }
    const pdf = await files.keepPdf(all());
    if (made === undefined) {
      throw new Error("The PDF was kept before it was written.");
    }
    return { ...made, pdf, images: [] };
  }
  if (written.outcome.problems.length > 0) {
    throw problemsFailed(written.outcome.problems, ready.pictures.mayRetry);
  }
  ready.pictures.drop();
  const drawing = { pdf: pieces, pages: written.pages, mode: ready.mode };
  const images = await draw(place, request, drawing, files, signal);
  return { ...written, images, pdf: request.has_pdf ? await files.keepPdf(pieces) : null };
}

/** Returns undefined as soon as there are too many bytes. */
async function hold(
  writing: AsyncGenerator<Uint8Array, Written>,
  pieces: Uint8Array[],
): Promise<Written | undefined> {
  let small: Uint8Array[] = [];
  let [bytes, smallBytes] = [0, 0];
  for (let next = await writing.next(); ; next = await writing.next()) {
    if (next.done === true) {
      pieces.push(Buffer.concat(small));
      return next.value;
    }
    bytes += next.value.byteLength;
    if (bytes > PDF_BYTES_MAX) {
      pieces.length = 0;
      await writing.return(undefined as never);
      return undefined;
    }
    small.push(next.value);
    smallBytes += next.value.byteLength;
    if (smallBytes >= PIECE_BYTES) {
      pieces.push(small.length === 1 ? next.value : Buffer.concat(small));
      [small, smallBytes] = [[], 0];
    }
  }
}

async function* write(
  place: RenderPlace,
  request: RenderRequest,
  { start, mode, template, pictures, given }: ReadyDocument,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, Written> {
  const layout = await start();
  const pages: DisplayPage[] = [];
  let outcome: LayoutOutcome | undefined;
  async function* painted() {
    const generator = layout.pages();
    let next = generator.next();
    for (; next.done !== true; next = generator.next()) {
      if (next.value === null) {
        await pause(signal);
        continue;
      }
      // Without its items, which are needed only while the page is written.
      pages.push({ ...next.value, items: [], links: [] });
      yield next.value;
      if (pages.length % PAGES_BETWEEN_PAUSES === 0) {
        await pause(signal);
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
    pdfOptions(request, { template, mode }, id),
  );
  yield* writing;
  if (outcome === undefined) {
    throw new Error("The PDF was written before its pages were laid out.");
  }
  return { pages, outcome };
}

/** The pieces of a PNG, which are never joined: that would take the memory twice. Throws FailedRender if it is too large. */
function imagePieces(pieces: Iterable<Uint8Array>, pageNumber: number): Uint8Array[] {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    bytes += piece.byteLength;
    if (bytes > IMAGE_BYTES_MAX) {
      throw new FailedRender(
        "too_large",
        `The image of page ${pageNumber} has more than ${IMAGE_BYTES_MAX} bytes. Send a smaller max_page_dimension.`,
      );
    }
    all.push(piece);
  }
  return all;
}

async function draw<I, P>(
  { parts }: RenderPlace,
  { images, options }: RenderRequest,
  {
    pdf,
    pages,
    mode,
  }: Pick<Written, "pages"> & Pick<ReadyDocument, "mode"> & { readonly pdf: readonly Uint8Array[] },
  files: RenderFiles<I, P>,
  signal: AbortSignal,
): Promise<NonNullable<MadePage<I>["image"]>[]> {
  const drawn = images === "all" ? pages : images === "first" ? pages.slice(0, 1) : [];
  if (drawn.length === 0) {
    return [];
  }
  const kept: NonNullable<MadePage<I>["image"]>[] = [];
  const drawRest = (memoryMaxBytes: number) =>
    parts.drawer.use(
      pdf,
      async (document) => {
        for (const [index, { pageNumber }] of drawn.entries()) {
          if (index < kept.length) {
            continue;
          }
          await pause(signal);
          const image = document.draw(index, options.max_page_dimension);
          const { width, height } = image;
          const png = imagePieces(image.pieces(), pageNumber);
          kept.push({ width, height, kept: await files.keepImage(png, pageNumber) });
        }
      },
      memoryMaxBytes,
    );
  try {
    await withRoomToDraw(parts.shaper, drawRest, profileBytes(mode));
  } catch (error) {
    throw error instanceof WebAssembly.RuntimeError
      ? new FailedRender(
          "too_large",
          `Page ${drawn[kept.length]?.pageNumber ?? 1} cannot be drawn in the memory of a render. Send smaller pictures, or a smaller max_page_dimension.`,
        )
      : error;
  }
  return kept;
}
