import type { RenderRequest } from "../../contracts/templates/renderer.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { isJsonObject, type JsonValue, parseJson } from "../../lib/json/exact-json.ts";
import type { PictureFailure } from "../../contracts/templates/layout-report.ts";
import type { RendererEnv } from "../../platform/env.ts";
import type { PictureRules } from "../../render/pdf/pictures/picture-rules.ts";
import type { PdfMode, PdfOptions, PdfResources } from "../../render/pdf/pdf-resources.ts";
import { readDrawing } from "../../render/svg/read-drawing.ts";
import { collectResources } from "../../templates/layout/resources/collect-resources.ts";
import { type StartedLayout, startLayout } from "../../templates/layout/lay-out.ts";
import type { Values } from "../../templates/layout/options.ts";
import {
  type PageSelection,
  parsePageSelection,
} from "../../templates/layout/pages/page-selection.ts";
import { layOutText } from "../../templates/text/lay-out-text.ts";
import { checkValues } from "../../templates/values/check-values.ts";
import { FailedRender, pageSelectionFailed, problemsFailed } from "./failed-render.ts";
import type { KeptTemplate } from "./kept-templates.ts";
import { readDocument } from "./read-document.ts";
import type { RoomLease } from "./render-room.ts";
import type { RendererParts } from "./renderer-parts.ts";
import { type FontCatalog, loadFontCatalog } from "./resources/font-catalog.ts";
import { FaceNotOpenError, openFace, RenderFonts, reopenFaces } from "./resources/render-fonts.ts";
import { loadPdfMode, profileBytes } from "./resources/load-pdf-mode.ts";
import { SystemFonts } from "./resources/system-fonts.ts";
import type { PictureInputs } from "./resources/read-picture.ts";
import { type PrintedDrawing, RenderPictures } from "./resources/render-pictures.ts";

type OnColors = PictureRules["onColors"];

/** A layout begins again when it needs a face that is not open; each is opened once. */
const LAYOUTS_MAX = 64;

export interface RenderJob {
  readonly request: RenderRequest;
  /** Files that values name as pictures. */
  readonly inputs: PictureInputs;
  /** Receives how the colors of pictures that are not sRGB are converted. */
  readonly onColors?: OnColors;
  /** Called for each picture that is fetched from an address. */
  readonly onFetched?: () => void;
}

/** A document with its values, fonts and pictures, ready to be laid out. */
export interface ReadyDocument {
  readonly mode: PdfMode;
  readonly template: KeptTemplate;
  /** The values as they were sent. */
  readonly given: JsonValue;
  readonly pictures: RenderPictures;
  /** Throws FailedRender, and FaceNotOpenError (`withFaces`). */
  readonly start: () => Promise<StartedLayout>;
}

/** The isolate's parts and one workspace's environment. */
export interface RenderPlace {
  readonly env: RendererEnv;
  readonly parts: RendererParts;
}

/** What the documents of one file share. */
export interface SharedParts {
  readonly mode: PdfMode;
  readonly template: KeptTemplate;
  readonly pictures: RenderPictures;
  /** By the names and files that documents need. */
  readonly catalogs: Map<string, FontCatalog>;
}

/** Reads the color profile, and reads and prepares the document unless it is kept. Throws FailedRender and DocumentInvalidError. */
export async function sharedParts(
  place: RenderPlace,
  request: RenderRequest,
  { onColors, onFetched }: Pick<RenderJob, "onColors" | "onFetched">,
): Promise<SharedParts> {
  const { env, parts } = place;
  const { workspace_id: workspaceId, template } = request;
  const loaded = await loadPdfMode({ env, kept: parts.profiles }, request);
  if (loaded === undefined) {
    throw new FailedRender(
      "color_profile",
      "The color profile is no longer stored as it was. Upload it again.",
    );
  }
  const { mode, allowsCmyk } = loaded;
  return {
    mode,
    template: await parts.templates.get(workspaceId, template.content_hash, () =>
      storedText(env, request),
    ),
    pictures: new RenderPictures(
      { env, workspaceId, ...(onFetched !== undefined && { onFetched }) },
      {
        codecs: parts.codecs,
        rules: { allowsCmyk, onColors },
        bytesMax: LIMITS.render_instances.value - profileBytes(mode),
        lease: () =>
          parts.room.lease((faces) => reopenFaces(env, workspaceId, parts.shaper, faces)),
        readDrawing: (svg, signal) => readDrawingWithFaces(place, workspaceId, svg, signal),
      },
    ),
    catalogs: new Map(),
  };
}

/** Runs the render of documents with the memory of their color profile. */
export async function withProfile<T>(
  place: RenderPlace,
  shared: Pick<SharedParts, "mode">,
  work: () => Promise<T>,
): Promise<T> {
  const lease = leaseProfile(place, shared);
  try {
    return await work();
  } finally {
    await lease.end();
  }
}

export function leaseProfile(
  { parts }: RenderPlace,
  { mode }: Pick<SharedParts, "mode">,
): RoomLease {
  // Fonts that are closed for it are opened by the layout.
  const lease = parts.room.lease(() => Promise.resolve());
  lease.grow(profileBytes(mode));
  return lease;
}

/** Reads a drawing as often as its texts need other faces. Throws FailedRender. */
async function readDrawingWithFaces(
  place: RenderPlace,
  workspaceId: string,
  svg: string,
  signal: AbortSignal,
): Promise<PrintedDrawing | PictureFailure> {
  return await withFaces(place, workspaceId, signal, async () => {
    await scheduler.wait(0);
    const fonts = new SystemFonts(place.parts.shaper);
    const drawing = readDrawing(svg, fonts);
    return typeof drawing === "string"
      ? drawing
      : { ...drawing, substitutedFonts: [...fonts.substituted] };
  });
}

/** Checks the values and loads what the layout needs. Throws FailedRender. */
export async function readyDocument(
  { env, parts }: RenderPlace,
  { request, inputs }: RenderJob,
  { mode, template, pictures, catalogs }: SharedParts,
  signal: AbortSignal,
): Promise<ReadyDocument> {
  const selection = parsePageSelection(request.options.page_selection);
  if (selection === null) {
    throw pageSelectionFailed(`"${request.options.page_selection.slice(0, 100)}" selects no pages`);
  }
  const { workspace_id: workspaceId, template: origin } = request;
  const given = parseJson(request.values);
  const { values, ignored } = checkGiven(request, template, given);
  const needed = collectResources(template.prepared, values, {
    maxRepeat: request.options.max_repeat ?? undefined,
  });
  const names = JSON.stringify([needed.families, needed.fonts]);
  const [catalog] = await Promise.all([
    catalogs.get(names) ?? loadFontCatalog(env, workspaceId, needed.families, needed.fonts, origin),
    pictures.load(needed.pictures, needed.artworks, { inputs, signal }),
  ]);
  catalogs.set(names, catalog);
  // Texts without values are laid out once, for as long as the same files stand for the same names.
  const key = JSON.stringify([[...catalog.families], [...catalog.files], [...catalog.fallbacks]]);
  if (template.lastFonts?.catalog !== key || !template.lastFonts.fonts.isOpen) {
    template.lastFonts = { catalog: key, fonts: new RenderFonts(catalog, parts.shaper) };
  }
  const { fonts } = template.lastFonts;
  return {
    mode,
    template,
    given,
    pictures,
    start: () => start(request, { template, values, ignored, selection, fonts, pictures }, signal),
  };
}

async function storedText(
  env: RendererEnv,
  { workspace_id: workspaceId, template }: Pick<RenderRequest, "workspace_id" | "template">,
): Promise<string> {
  const text = await readDocument(env, workspaceId, template);
  if (text === undefined) {
    throw new FailedRender("unavailable", "The template's document is no longer stored.");
  }
  return text;
}

function checkGiven(request: RenderRequest, template: KeptTemplate, given: JsonValue) {
  const { values, problems } = checkValues(template.fields, isJsonObject(given) ? given : {});
  const refuses = request.unknown_values === "refuse";
  const errors = problems
    .filter(({ kind }) => kind === "type" || refuses)
    .map(({ kind, field, message }) => ({
      field,
      code: kind === "type" ? ("INVALID_FIELD_VALUE" as const) : ("UNKNOWN_FIELD" as const),
      message,
    }));
  const [first] = errors;
  if (first !== undefined) {
    throw new FailedRender("invalid_values", `${first.field}: ${first.message}`, { errors });
  }
  const ignored = problems
    .filter(({ kind }) => kind === "unknown")
    .map(({ field }) => field.replace(/^values\.?/, ""));
  return { values, ignored };
}

interface LayoutParts {
  readonly template: KeptTemplate;
  readonly values: Values;
  readonly ignored: readonly string[];
  readonly selection: PageSelection;
  readonly fonts: RenderFonts;
  readonly pictures: RenderPictures;
}

async function start(
  { options }: RenderRequest,
  { template, values, ignored, selection, fonts, pictures }: LayoutParts,
  signal: AbortSignal,
): Promise<StartedLayout> {
  const starting = startLayout({
    document: template.prepared,
    values,
    options: {
      missingPolicy: options.missing_policy,
      overflowPolicy: options.overflow_policy,
      maxRepeat: options.max_repeat ?? undefined,
      pageSelection: selection,
      hasLinks: options.pdf_export_mode === "standard",
      valuesIgnored: ignored,
    },
    resources: { fonts, pictures: pictures.resources, artworks: pictures.artworks },
    layOutText,
  });
  let next = starting.next();
  for (; next.done !== true; next = starting.next()) {
    await pause(signal);
  }
  const started = next.value;
  if (started.ok) {
    return started;
  }
  switch (started.kind) {
    case "problems":
      throw problemsFailed(started.problems, pictures.mayRetry);
    case "selection":
      throw pageSelectionFailed(`The document has ${started.pageCount} pages`);
    case "too_large":
      throw new FailedRender("too_large", started.message);
  }
}

/** Lets other work of the isolate go on. Throws the reason of a signal that was aborted. */
export async function pause(signal: AbortSignal): Promise<void> {
  await scheduler.wait(0);
  signal.throwIfAborted();
}

/** Lays out, again from the start when a face has to be opened first. */
export async function withFaces<T>(
  { env, parts }: RenderPlace,
  workspaceId: string,
  signal: AbortSignal,
  layOut: () => Promise<T>,
): Promise<T> {
  for (let layouts = 0; layouts < LAYOUTS_MAX; layouts++) {
    signal.throwIfAborted();
    try {
      return await layOut();
    } catch (error) {
      if (error instanceof FaceNotOpenError) {
        await openFace(env, workspaceId, parts.shaper, error.file).catch(refuseFont);
      } else {
        refuseFont(error);
      }
    }
  }
  throw new FailedRender("too_large", "The document uses too many fonts.");
}

/**
 * HarfBuzz stops at a font that is damaged in a way that no check of an upload found, or that needs more memory than it may
 * have; its instance is replaced after the render.
 */
function refuseFont(error: unknown): never {
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
    throw new FailedRender(
      "unavailable",
      "A font of the document is damaged, or too large to be used. Choose another one.",
    );
  }
  throw error;
}

/** What the writer of a PDF needs of the isolate and of the pictures. */
export function pdfResources({ parts }: RenderPlace, pictures: RenderPictures): PdfResources {
  return {
    face: (key) => {
      const face = parts.shaper.find(key);
      if (face === undefined) {
        throw new Error(`The layout used a face that is not open: ${key}.`);
      }
      return face;
    },
    picture: (key) => pictures.prepared(key),
    endPicture: () => pictures.endPicture(),
    artwork: (key) => pictures.artwork(key),
  };
}

/** What a PDF says about itself. `id` is a digest of the content and the values. */
export function pdfOptions(
  { template: origin }: Pick<RenderRequest, "template">,
  { template, mode }: Pick<SharedParts, "template" | "mode">,
  id: Uint8Array,
): PdfOptions {
  return {
    metadata: template.metadata,
    origin: {
      template: origin.template_id,
      revision: origin.revision,
      contentHash: origin.content_hash,
    },
    id,
    mode,
  };
}
