import { createHash, type Hash } from "node:crypto";
import type { RenderRequest } from "../../contracts/templates/renderer.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { canonicalJson } from "../../lib/json/canonical-json.ts";
import { parseJson } from "../../lib/json/exact-json.ts";
import type { MergedDocument } from "../../render/pdf/merge/copy-pages.ts";
import { type PdfPart, writePdf } from "../../render/pdf/write-pdf.ts";
import type { DisplayPage } from "../../templates/display-list.ts";
import {
  leaseProfile,
  pause,
  pdfOptions,
  pdfResources,
  type ReadyDocument,
  readyDocument,
  type RenderJob,
  type RenderPlace,
  type SharedParts,
  sharedParts,
  withFaces,
} from "./document-render.ts";
import { FailedRender, problemsFailed, withinRenderTime } from "./failed-render.ts";
import { reopenFaces } from "./resources/render-fonts.ts";

/** Of SHA-256. */
const DIGEST_BYTES = 32;

/** The values of one document of a collection, and files that they name as pictures. */
export type CollectedDocument = Pick<RenderRequest, "values"> & Pick<RenderJob, "inputs">;

/** A PDF that is copied. */
export interface AddedPdf {
  readonly read: () => Promise<MergedDocument & { readonly sha256: Uint8Array }>;
}

/** Documents of one template that become one PDF, between two PDFs that are copied. */
export interface CollectionJob {
  /** Of every document, which has values of its own. */
  readonly request: RenderRequest;
  readonly documents: AsyncIterable<CollectedDocument>;
  readonly intro: AddedPdf | undefined;
  readonly outro: AddedPdf | undefined;
  readonly onColors?: RenderJob["onColors"];
  readonly onFetched?: () => void;
}

/**
 * Lays out each document by itself and yields the bytes of one PDF with all of them, in order; fonts and pictures are in
 * it once. One document is in memory at a time. Call it in turn, between `parts.begin()` and its end. Throws FailedRender,
 * NodeError `PDF_TOO_LARGE`, `PDF_UNREADABLE` and `PDF_ENCRYPTED`, errors of the stores, and the signal's reason.
 */
export async function* writeCollection(
  place: RenderPlace,
  job: CollectionJob,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { request } = job;
  const shared = await withinRenderTime(signal, () => sharedParts(place, request, job));
  const digest = createHash("sha256").update(request.template.content_hash);
  // The writer reads it once all parts are there.
  const id = new Uint8Array(DIGEST_BYTES);
  async function* parts(): AsyncGenerator<PdfPart> {
    yield* added(place, job, job.intro, digest);
    let pagesBefore = 0;
    let index = 0;
    for await (const { values, inputs } of job.documents) {
      digest.update(`\n${canonicalJson(parseJson(values))}`);
      const pages = await layOutOne(place, { request: { ...request, values }, inputs }, shared, {
        signal,
        index,
      });
      for (const page of pages) {
        yield movedBy(page, pagesBefore);
      }
      pagesBefore += pages.length;
      index += 1;
      shared.pictures.endDocument();
      await pause(signal);
    }
    yield* added(place, job, job.outro, digest);
    id.set(digest.digest());
  }
  const lease = leaseProfile(place, shared);
  try {
    const resources = pdfResources(place, shared.pictures);
    yield* writePdf(parts(), resources, pdfOptions(request, shared, id));
  } finally {
    await lease.end();
  }
}

/** The fonts are closed while a document is copied: its objects take the memory of all instances. */
async function* added(
  { env, parts }: RenderPlace,
  { request: { workspace_id: workspaceId } }: CollectionJob,
  file: AddedPdf | undefined,
  digest: Hash,
): AsyncGenerator<PdfPart> {
  if (file !== undefined) {
    const lease = parts.room.lease((faces) => reopenFaces(env, workspaceId, parts.shaper, faces));
    lease.grow(LIMITS.render_instances.value);
    try {
      const { sha256, ...document } = await file.read();
      digest.update(sha256);
      yield document;
    } finally {
      await lease.end();
    }
  }
}

/** All pages of one document, which are few enough for memory (docs/limits.md). */
async function layOutOne(
  place: RenderPlace,
  job: RenderJob,
  shared: SharedParts,
  { signal, index }: { readonly signal: AbortSignal; readonly index: number },
): Promise<readonly DisplayPage[]> {
  try {
    return await withinRenderTime(signal, async (limited) => {
      const ready = await readyDocument(place, job, shared, limited);
      return await withFaces(place, job.request.workspace_id, limited, () =>
        pagesOf(ready, limited),
      );
    });
  } catch (error) {
    if (error instanceof FailedRender) {
      const { code, message, errors, may_retry } = error.failure;
      throw new FailedRender(code, `Item ${index}: ${message}`, { errors, may_retry });
    }
    throw error;
  }
}

async function pagesOf(
  { start, pictures }: ReadyDocument,
  signal: AbortSignal,
): Promise<readonly DisplayPage[]> {
  const layout = (await start()).pages();
  const pages: DisplayPage[] = [];
  let next = layout.next();
  for (; next.done !== true; next = layout.next()) {
    if (next.value === null) {
      await pause(signal);
    } else {
      pages.push(next.value);
    }
  }
  if (next.value.problems.length > 0) {
    throw problemsFailed(next.value.problems, pictures.mayRetry);
  }
  return pages;
}

/** Numbers by which the pages of the file refer to each other; what is printed stays. */
function movedBy(page: DisplayPage, pagesBefore: number): DisplayPage {
  return {
    ...page,
    pageNumber: page.pageNumber + pagesBefore,
    links: page.links.map(({ corners, target }) => ({
      corners,
      target:
        target.kind === "page"
          ? { ...target, pageNumber: target.pageNumber + pagesBefore }
          : target,
    })),
  };
}
