import { createHash } from "node:crypto";
import type {
  RenderCheck,
  RenderFailure,
  RenderFailureCode,
  RenderRequest,
} from "../../contracts/renderer.ts";
import type { LayoutReport } from "../../contracts/layout-report.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { isJsonObject, type JsonValue, parseJson } from "../../lib/exact-json.ts";
import { LIMITS } from "../../lib/limits-table.ts";
import type { RendererEnv } from "../../platform/env.ts";
import { writePdf } from "../../render/pdf/write-pdf.ts";
import type { DisplayPage } from "../../templates/display-list.ts";
import {
  type LayoutOutcome,
  type StartedLayout,
  startLayout,
} from "../../templates/layout/lay-out.ts";
import { collectResources } from "../../templates/layout/collect-resources.ts";
import {
  type RenderProblem,
  RenderTooLargeError,
  type Values,
} from "../../templates/layout/options.ts";
import { parsePageSelection } from "../../templates/layout/page-selection.ts";
import { layOutText } from "../../templates/text/lay-out-text.ts";
import { checkValues } from "../../templates/values/check-values.ts";
import { DocumentInvalidError, type KeptTemplate } from "./kept-templates.ts";
import { readDocument } from "./read-document.ts";
import { renderChecks } from "./render-checks.ts";
import type { RendererParts } from "./renderer-parts.ts";
import { loadFontCatalog } from "./resources/font-catalog.ts";
import { FaceNotOpenError, openFace, RenderFonts } from "./resources/render-fonts.ts";
import type { PictureInputs } from "./resources/read-picture.ts";
import { RenderPictures } from "./resources/render-pictures.ts";

const TIME_MAX_MS = LIMITS.render_time.value;
/** Pages between two pauses, in which an abort and the time are seen. */
const PAGES_BETWEEN_PAUSES = 8;
/** A layout begins again when it needs a face that is not open; each is opened once. */
const LAYOUTS_MAX = 64;

export interface RenderJob {
  readonly request: RenderRequest;
  /** Files that values name as pictures. */
  readonly inputs: PictureInputs;
}

/** A page of the output that was selected. */
export interface MadePage {
  readonly page_number: number;
  readonly page_id: string;
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly image: {
    readonly width: number;
    readonly height: number;
    readonly png: Uint8Array;
  } | null;
}

export interface MadeRender {
  readonly ok: true;
  readonly pageCount: number;
  readonly report: LayoutReport;
  readonly checks: readonly RenderCheck[];
  readonly pages: readonly MadePage[];
  /** Null if it was not asked for. */
  readonly pdf: Uint8Array | null;
}

/** A render that ends with a failure of its own; others are defects or faults of stores. */
class FailedRender extends Error {
  readonly failure: RenderFailure;

  constructor(code: RenderFailureCode, message: string, more: Partial<RenderFailure> = {}) {
    super(message);
    this.failure = { ok: false, code, message, errors: [], may_retry: false, ...more };
  }
}

/**
 * Renders a document with values (docs/contract/templates.md#rendering). Call it in turn: it uses the isolate's only shaper
 * and drawer. Rethrows errors of the stores, and the signal's reason.
 */
export async function renderTemplate(
  env: RendererEnv,
  parts: RendererParts,
  job: RenderJob,
  signal: AbortSignal,
): Promise<MadeRender | RenderFailure> {
  const beganMs = Date.now();
  const timeout = AbortSignal.timeout(TIME_MAX_MS);
  const end = parts.begin();
  try {
    return await new Render(env, parts, job, AbortSignal.any([signal, timeout])).run(beganMs);
  } catch (error) {
    if (error instanceof FailedRender) {
      return error.failure;
    }
    if (error instanceof RenderTooLargeError) {
      return new FailedRender("too_large", error.message).failure;
    }
    if (error instanceof DocumentInvalidError) {
      return new FailedRender("unavailable", `The document is not valid: ${error.message}`).failure;
    }
    if (timeout.aborted && !signal.aborted) {
      return new FailedRender(
        "timeout",
        `The render took longer than ${TIME_MAX_MS / 1_000} s. Send fewer rows or smaller pictures.`,
      ).failure;
    }
    throw error;
  } finally {
    end();
  }
}

/** Members of a report that the layout does not know. */
type OriginKey = "schema" | "template_id" | "revision" | "version_id" | "duration_ms";

interface Resources {
  readonly fonts: RenderFonts;
  readonly pictures: RenderPictures;
}

class Render {
  readonly #env: RendererEnv;
  readonly #parts: RendererParts;
  readonly #request: RenderRequest;
  readonly #inputs: PictureInputs;
  readonly #signal: AbortSignal;

  constructor(
    env: RendererEnv,
    parts: RendererParts,
    { request, inputs }: RenderJob,
    signal: AbortSignal,
  ) {
    this.#inputs = inputs;
    this.#env = env;
    this.#parts = parts;
    this.#request = request;
    this.#signal = signal;
  }

  async run(beganMs: number): Promise<MadeRender> {
    const request = this.#request;
    const selection = parsePageSelection(request.options.page_selection);
    if (selection === null) {
      throw pageSelection(`"${request.options.page_selection.slice(0, 100)}" selects no pages`);
    }
    const template = await this.#parts.templates.get(
      request.workspace_id,
      request.template.content_hash,
      () => this.#readDocument(),
    );
    const given = parseJson(request.values);
    const { values, ignored } = this.#check(template, isJsonObject(given) ? given : {});
    const resources = await this.#resources(template, values);
    const started = (): StartedLayout => {
      const start = startLayout({
        document: template.prepared,
        values,
        options: {
          missingPolicy: request.options.missing_policy,
          overflowPolicy: request.options.overflow_policy,
          maxRepeat: request.options.max_repeat ?? undefined,
          pageSelection: selection,
          hasLinks: request.options.pdf_export_mode === "standard",
          valuesIgnored: ignored,
        },
        resources: {
          fonts: resources.fonts,
          pictures: resources.pictures.resources,
          artworks: resources.pictures.artworks,
        },
        layOutText,
      });
      if (start.ok) {
        return start;
      }
      switch (start.kind) {
        case "problems":
          throw this.#problems(start.problems, resources.pictures);
        case "selection":
          throw pageSelection(`The document has ${start.pageCount} pages`);
        case "too_large":
          throw new FailedRender("too_large", start.message);
      }
    };
    const { pages, outcome, pdf } = await this.#paint(started, template, resources.pictures, given);
    if (outcome.problems.length > 0) {
      throw this.#problems(outcome.problems, resources.pictures);
    }
    const images = await this.#draw(pdf, pages.length);
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

  async #readDocument(): Promise<string> {
    const { workspace_id: workspaceId, template } = this.#request;
    const text = await readDocument(this.#env, workspaceId, template);
    if (text === undefined) {
      throw new FailedRender("unavailable", "The template's document is no longer stored.");
    }
    return text;
  }

  #check(template: KeptTemplate, given: { readonly [code: string]: JsonValue }) {
    const { values, problems } = checkValues(template.fields, given);
    const refuses = this.#request.unknown_values === "refuse";
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

  async #resources(template: KeptTemplate, values: Values): Promise<Resources> {
    const { workspace_id: workspaceId, template: origin, options } = this.#request;
    const needed = collectResources(template.prepared, values, {
      maxRepeat: options.max_repeat ?? undefined,
    });
    const pictures = new RenderPictures(
      { env: this.#env, workspaceId, signal: this.#signal, inputs: this.#inputs },
      { codecs: this.#parts.codecs, rules: { allowsCmyk: true } },
    );
    const [catalog] = await Promise.all([
      loadFontCatalog(
        this.#env,
        workspaceId,
        needed.families,
        needed.fonts,
        origin.font_pins ?? [],
      ),
      pictures.load(needed.pictures, needed.artworks),
    ]);
    // Texts without values are laid out once, for as long as the same files stand for the same names.
    const key = JSON.stringify([[...catalog.families], [...catalog.files]]);
    if (template.lastFonts?.catalog !== key || !template.lastFonts.fonts.isOpen) {
      template.lastFonts = { catalog: key, fonts: new RenderFonts(catalog, this.#parts.shaper) };
    }
    return { fonts: template.lastFonts.fonts, pictures };
  }

  /** Lays out and writes the PDF, again from the start when a face has to be opened first. */
  async #paint(
    start: () => StartedLayout,
    template: KeptTemplate,
    pictures: RenderPictures,
    given: JsonValue,
  ): Promise<{ pages: DisplayPage[]; outcome: LayoutOutcome; pdf: Uint8Array }> {
    for (let layouts = 0; layouts < LAYOUTS_MAX; layouts++) {
      this.#signal.throwIfAborted();
      try {
        return await this.#write(start(), template, pictures, given);
      } catch (error) {
        if (!(error instanceof FaceNotOpenError)) {
          throw error;
        }
        await openFace(this.#env, this.#request.workspace_id, this.#parts.shaper, error.file);
      }
    }
    throw new FailedRender("too_large", "The document uses too many fonts.");
  }

  async #write(
    layout: StartedLayout,
    template: KeptTemplate,
    pictures: RenderPictures,
    given: JsonValue,
  ): Promise<{ pages: DisplayPage[]; outcome: LayoutOutcome; pdf: Uint8Array }> {
    const signal = this.#signal;
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
    const { template: origin } = this.#request;
    const pieces: Uint8Array[] = [];
    const writing = writePdf(
      painted(),
      {
        face: (key) => {
          const face = this.#parts.shaper.find(key);
          if (face === undefined) {
            throw new Error(`The layout used a face that is not open: ${key}.`);
          }
          return face;
        },
        picture: (key) => pictures.prepared(key),
        artwork: (key) => pictures.artwork(key),
      },
      {
        metadata: template.metadata,
        origin: {
          template: origin.template_id,
          revision: origin.revision,
          contentHash: origin.content_hash,
        },
        id: createHash("sha256")
          .update(`${origin.content_hash}\n${canonicalJson(given)}`)
          .digest(),
        mode: { kind: "standard" },
      },
    );
    for await (const piece of writing) {
      pieces.push(piece);
    }
    if (outcome === undefined) {
      throw new Error("The PDF was written before its pages were laid out.");
    }
    return { pages, outcome, pdf: Buffer.concat(pieces) };
  }

  async #draw(pdf: Uint8Array, pageCount: number): Promise<NonNullable<MadePage["image"]>[]> {
    const { images, options } = this.#request;
    const count = images === "all" ? pageCount : images === "first" ? Math.min(1, pageCount) : 0;
    if (count === 0) {
      return [];
    }
    return await this.#parts.drawer.use(pdf, async (document) => {
      const drawn: NonNullable<MadePage["image"]>[] = [];
      let bytes = 0;
      for (let index = 0; index < count; index++) {
        await scheduler.wait(0);
        this.#signal.throwIfAborted();
        const image = document.draw(index, options.max_page_dimension);
        const png = Buffer.concat([...image.pieces()]);
        bytes += png.byteLength;
        if (bytes > LIMITS.render_images.value) {
          throw new FailedRender(
            "too_large",
            `The page images have more than ${LIMITS.render_images.value} bytes. Select fewer pages, or send a smaller max_page_dimension.`,
          );
        }
        drawn.push({ width: image.width, height: image.height, png });
      }
      return drawn;
    });
  }

  #problems(problems: readonly RenderProblem[], pictures: RenderPictures): FailedRender {
    const errors = problems.map(({ code, field, message }) => ({
      field: field === "" ? "" : `values.${field}`,
      code,
      message,
    }));
    const [first] = errors;
    const ofPictures = errors.every(({ code }) => code === "IMAGE_FAILED");
    return new FailedRender("failed", first?.message ?? "The render failed.", {
      errors,
      may_retry: ofPictures && pictures.mayRetry,
    });
  }
}

function pageSelection(what: string): FailedRender {
  return new FailedRender(
    "page_selection",
    `${what}. Select pages that exist: all, 1, 1-3, or 1,3-5.`,
  );
}
