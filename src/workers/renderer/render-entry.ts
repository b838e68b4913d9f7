import { WorkerEntrypoint } from "cloudflare:workers";
import type { ReferencedColorProfile } from "../../contracts/templates/color-profile.ts";
import type {
  DescribeRequest,
  FontPin,
  Inspected,
  InspectRequest,
  ImportedSvg,
  ImportSvgRequest,
  RefusedSvg,
  Rendered,
  RenderedTemplate,
  RendererApi,
  RendererState,
  RenderFailure,
  RenderOptions,
  RenderRequest,
  SvgPalette,
  SvgPaletteRequest,
} from "../../contracts/templates/renderer.ts";
import { parseEntries } from "../../../durable-objects/shared/entries.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { isolateMemory } from "../../lib/memory/memory-budget.ts";
import {
  atLeast,
  flag,
  integer,
  list,
  literal,
  nullable,
  number,
  object,
  optional,
  text,
  unchecked,
  version,
} from "../../lib/json/shape.ts";
import { isRendererEnvUsable } from "../../platform/check-env.ts";
import type { RendererEnv } from "../../platform/env.ts";
import { describeTurns } from "./render-gate.ts";
import { asResponse } from "./render-response.ts";
import { importSvg, inspect, readColors, render } from "./render-service.ts";

/** Newest version of requests that this code accepts. */
const REQUEST_VERSION = 1;

/** They are held until the response is read. */
const IMAGES_BYTES_MAX = LIMITS.render_images.value;
const NOTHING: readonly Uint8Array[] = [];
const TOO_MANY_IMAGES: RenderFailure = {
  ok: false,
  code: "too_large",
  message: `The page images have more than ${IMAGES_BYTES_MAX} bytes. Select fewer pages, or send a smaller max_page_dimension.`,
  errors: [],
  may_retry: false,
};

/** The renderer's entry point for the API Worker (binding RENDERER). */
export class Renderer extends WorkerEntrypoint<RendererEnv> implements RendererApi {
  describe(): Promise<RendererState> {
    const { takenBytes, keptBytes } = isolateMemory;
    return Promise.resolve({
      version: REQUEST_VERSION,
      ...describeTurns(),
      taken_bytes: takenBytes,
      kept_bytes: keptBytes,
    });
  }

  async importSvg(request: ImportSvgRequest): Promise<ImportedSvg | RefusedSvg> {
    return await importSvg(request.workspace_id, request);
  }

  async readSvgPalette(request: SvgPaletteRequest): Promise<SvgPalette> {
    return { colors: await readColors(request.workspace_id, request.svg) };
  }

  async render(request: RenderRequest): Promise<Rendered | RenderFailure> {
    // The platform reports no end of a caller; the render's own time limit ends it.
    let imageBytes = 0;
    return await render<readonly Uint8Array[], readonly Uint8Array[], Rendered | RenderFailure>(
      this.env,
      { request, inputs: new Map() },
      {
        streamsPdf: false,
        keepPdf: allOf,
        keepImage: (png) => {
          imageBytes += png.reduce((sum, { byteLength }) => sum + byteLength, 0);
          return imageBytes > IMAGES_BYTES_MAX ? NOTHING : png;
        },
        finish: (made) => (imageBytes > IMAGES_BYTES_MAX ? TOO_MANY_IMAGES : asResponse(made)),
      },
      new AbortController().signal,
    );
  }

  async inspect(request: InspectRequest): Promise<Inspected | RenderFailure> {
    return await inspect(this.env, request);
  }
}

async function allOf(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<readonly Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) {
    all.push(piece);
  }
  return all;
}

const template = object<RenderedTemplate>({
  template_id: text,
  revision: nullable(atLeast(1)),
  version_id: nullable(text),
  content_hash: text,
  changed_at_ms: integer,
  font_pins: optional(
    list(
      object<FontPin>({
        name: text,
        family_guid: text,
        version_guid: text,
        fallback_guid: nullable(text),
      }),
    ),
  ),
  // A union of two objects; reading it checks it.
  document: unchecked<RenderedTemplate["document"]>(),
});

const options = object<RenderOptions>({
  missing_policy: literal("fail_required", "use_template_default"),
  overflow_policy: literal("template", "fail", "fit", "clip"),
  max_repeat: nullable(atLeast(1)),
  page_selection: text,
  pdf_export_mode: literal("standard", "pdfx4"),
  color_profile_guid: nullable(text),
  color_profile: optional(
    object<ReferencedColorProfile>({
      guid: text,
      name: text,
      output_condition_identifier: text,
      sha256: text,
      size_bytes: atLeast(1),
      key: text,
    }),
  ),
  max_page_dimension: atLeast(64),
});

parseEntries<RendererApi>(Renderer, isRendererEnvUsable, {
  describe: [object<DescribeRequest>({ v: version(1) })],
  inspect: [object<InspectRequest>({ v: version(1), workspace_id: text, template })],
  importSvg: [
    object<ImportSvgRequest>({
      v: version(1),
      workspace_id: text,
      svg: text,
      mode: literal("editable", "preserved"),
      name: nullable(text),
      left: number,
      top: number,
      width: nullable(number),
      height: nullable(number),
    }),
  ],
  readSvgPalette: [object<SvgPaletteRequest>({ v: version(1), workspace_id: text, svg: text })],
  render: [
    object<RenderRequest>({
      v: version(1),
      workspace_id: text,
      template,
      values: text,
      unknown_values: literal("refuse", "ignore"),
      options,
      has_pdf: flag,
      images: literal("none", "first", "all"),
      may_queue: flag,
    }),
  ],
});
