/**
 * The renderer in Node: `renderTemplate` as the Worker calls it, over the system families' files and a workspace that
 * stores nothing. Pictures are given as `data:` addresses.
 */
import { readFile } from "node:fs/promises";
import { scheduler } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type {
  RenderFailure,
  RenderOptions,
  RenderRequest,
} from "../../../src/contracts/templates/renderer.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { WeightedCache } from "../../../src/lib/memory/weighted-cache.ts";
import type { RendererEnv } from "../../../src/platform/env.ts";
import { PageDrawer } from "../../../src/render/pages/page-drawer.ts";
import { Shaper } from "../../../src/render/shaping/shaper.ts";
import type { RenderJob } from "../../../src/workers/renderer/document-render.ts";
import { KeptTemplates } from "../../../src/workers/renderer/kept-templates.ts";
import { writeCollection } from "../../../src/workers/renderer/render-collection.ts";
import { RenderRoom } from "../../../src/workers/renderer/render-room.ts";
import { type MadeRender, renderTemplate } from "../../../src/workers/renderer/render-template.ts";
import type { RendererParts } from "../../../src/workers/renderer/renderer-parts.ts";
import { sha256HexOfBytes } from "../../../src/lib/sha256.ts";
import { pressProfile, type PressSpace } from "../../../scripts/press-profile.ts";
import { SYSTEM_FONT_SOURCES } from "../../../scripts/system-font-sources.ts";
import { joined } from "../pdf/plain-options.ts";
import { compiledPackageFile } from "../compiled-package-file.ts";
import { type RequestChange, templateRequest, WORKSPACE_ID } from "./template-request.ts";
import { imageCodecs } from "../images/wasm-modules.ts";

// workerd offers it as a global; Node has the same under another name.
const platform = globalThis as { scheduler?: unknown };
platform.scheduler ??= scheduler;

const shaper = new Shaper({
  harfBuzz: compiledPackageFile("harfbuzzjs/dist/harfbuzz.wasm"),
  subsetter: compiledPackageFile("../src/render/shaping/harfbuzz-subset.wasm"),
});

const drawer = new PageDrawer(
  compiledPackageFile("@hyzyla/pdfium/dist/pdfium.wasm"),
  imageCodecs.pixels,
);
const room = new RenderRoom({ shaper, drawer });
shaper.limitBy(room.hasRoom);

const parts: Pick<RendererParts, keyof RendererParts> = {
  codecs: {
    webp: compiledPackageFile("../src/images/webp/webp-reader.wasm"),
    jpeg: compiledPackageFile("../src/images/jpeg/jpeg.wasm"),
    webpEncoder: compiledPackageFile("../src/images/webp/webp-writer.wasm"),
    avif: compiledPackageFile("../src/images/avif/avif.wasm"),
    pixels: compiledPackageFile("../src/images/pixels/pixels.wasm"),
  },
  shaper,
  drawer,
  room,
  templates: new KeptTemplates(),
  profiles: new WeightedCache(4 * 1024 * 1024),
  begin: () => () => {
    shaper.endRender();
  },
};

/** A statement that finds nothing. */
const statement = {
  bind: () => statement,
  first: () => Promise.resolve(null),
  all: () => Promise.resolve({ results: [] }),
};

const env = {
  DB: { prepare: () => statement },
  FILES: { get: readStoredFile, head: () => Promise.resolve(null) },
  ASSETS: { fetch: readSystemFont },
  ENVIRONMENT: "local",
} as unknown as RendererEnv;

async function readSystemFont(url: string): Promise<Response> {
  const [, slug, variant = ""] = /\/fonts\/([^/]+)\/(.+)\.(?:ttf|otf)$/.exec(url) ?? [];
  const path = SYSTEM_FONT_SOURCES.find((source) => source.slug === slug)?.files[variant];
  return path === undefined
    ? new Response(null, { status: 404 })
    : new Response(
        await readFile(
          fileURLToPath(new URL(`../../../node_modules/${path}`, import.meta.url).href),
        ),
      );
}

/** The workspace stores the color profiles of `pressOptions`, by key. */
const PRESSES = new Map<string, Uint8Array>();

function readStoredFile(key: string): Promise<unknown> {
  const press = PRESSES.get(key);
  return Promise.resolve(
    press === undefined
      ? null
      : { size: press.length, arrayBuffer: () => Promise.resolve(press.slice().buffer) },
  );
}

/** Options of a PDF/X-4, for a press of this color space. */
export async function pressOptions(space: PressSpace = "CMYK"): Promise<Partial<RenderOptions>> {
  const guid = "00000000-0000-4000-8000-0000000000cc";
  const key = `${WORKSPACE_ID}/color-profiles/${space.trim()}.icc`;
  const press = pressProfile(space);
  PRESSES.set(key, press);
  return {
    pdf_export_mode: "pdfx4",
    color_profile_guid: guid,
    color_profile: {
      guid,
      name: "A press",
      output_condition_identifier: "FOGRA39",
      sha256: await sha256HexOfBytes(press),
      size_bytes: press.length,
      key,
    },
  };
}

/** A render with the PNG of each page that was drawn. */
export type RenderInNode = MadeRender<Uint8Array, Uint8Array>;

/** One render after another: the shaper and the drawer are used by one at a time. */
let turn: Promise<unknown> = Promise.resolve();

export function renderRequest(
  request: RenderRequest,
  signal: AbortSignal = new AbortController().signal,
  listeners: Pick<RenderJob, "onFetched"> = {},
): Promise<RenderInNode | RenderFailure> {
  const next = turn.then(() =>
    renderTemplate(
      { env, parts: parts as RendererParts },
      { request, inputs: new Map(), ...listeners },
      { streamsPdf: false, keepImage: joined, keepPdf: joined },
      signal,
    ),
  );
  turn = next.catch(() => undefined);
  return next;
}

export async function renderInNode(
  document: JsonValue,
  values: JsonValue,
  change: RequestChange = {},
): Promise<RenderInNode | RenderFailure> {
  return renderRequest(await templateRequest(document, values, change));
}

/** The same for a render that must not fail. */
export async function madeInNode(
  ...given: Parameters<typeof renderInNode>
): Promise<RenderInNode & { readonly pdf: Uint8Array }> {
  const made = await renderInNode(...given);
  if (!made.ok || made.pdf === null) {
    throw new Error(`The render failed: ${JSON.stringify(made)}`);
  }
  return { ...made, pdf: made.pdf };
}

/** One PDF with a document for each value set, as `aggregate/pdf` makes it. */
export async function collectInNode(
  document: JsonValue,
  sets: readonly JsonValue[],
  change: RequestChange = {},
  listeners: Pick<RenderJob, "onFetched"> = {},
): Promise<Uint8Array> {
  const request = await templateRequest(document, {}, change);
  async function* documents() {
    for (const values of sets) {
      yield await Promise.resolve({ values: JSON.stringify(values), inputs: new Map() });
    }
  }
  const next = turn.then(async () => {
    const end = parts.begin();
    try {
      const job = {
        request,
        documents: documents(),
        intro: undefined,
        outro: undefined,
        ...listeners,
      };
      const place = { env, parts: parts as RendererParts };
      const pieces: Uint8Array[] = [];
      for await (const piece of writeCollection(place, job, new AbortController().signal)) {
        pieces.push(piece);
      }
      return Buffer.concat(pieces);
    } finally {
      end();
    }
  });
  turn = next.catch(() => undefined);
  return next;
}
