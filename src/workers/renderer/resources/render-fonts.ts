import type { Shaper } from "../../../render/shaping/shaper.ts";
import { chooseVariant } from "../../../render/fonts/choose-variant.ts";
import { foldCase } from "../../../lib/fold-case.ts";
import type { RendererEnv } from "../../../platform/env.ts";
import type { FontFace } from "../../../templates/text/font-face.ts";
import type {
  FontChain,
  FontRequest,
  FontResolver,
} from "../../../templates/text/font-resolver.ts";
import { assertWorkspaceKey } from "../../../storage/r2/assert-workspace-key.ts";
import {
  type CatalogFamily,
  type CatalogFile,
  DEFAULT_FAMILY,
  type FontCatalog,
  SYSTEM_FALLBACKS,
} from "./font-catalog.ts";

/** A layout asked for a face that is not open. Open it and lay out again. */
export class FaceNotOpenError extends Error {
  override readonly name = "FaceNotOpenError";
  readonly file: CatalogFile;

  constructor(file: CatalogFile) {
    super("The layout needs a face that is not open.");
    this.file = file;
  }
}

/**
 * The fonts of one render (docs/contract/templates.md#fonts). Faces are opened when a layout needs them: its methods
 * throw FaceNotOpenError, and the layout begins again. Open faces stay open between renders, so this is rare.
 */
export class RenderFonts implements FontResolver {
  readonly #catalog: FontCatalog;
  readonly #shaper: Shaper;
  readonly #chains = new Map<string, FontChain>();

  constructor(catalog: FontCatalog, shaper: Shaper) {
    this.#catalog = catalog;
    this.#shaper = shaper;
  }

  /** False once a face that it has handed out is closed: what was laid out with it is still good, and it is not. */
  get isOpen(): boolean {
    return [...this.#chains.values()].every(({ first }) => this.#shaper.find(first.key) === first);
  }

  chainOf(request: FontRequest): FontChain {
    const { font, fontFamily, fontWeight, fontStyle, fallbackFonts } = request;
    const names =
      fallbackFonts.length === 0 ? `=${fontFamily}` : JSON.stringify([fontFamily, fallbackFonts]);
    const key = `${font?.familyGuid} ${font?.sha256} ${fontWeight} ${fontStyle} ${names}`;
    let chain = this.#chains.get(key);
    if (chain === undefined) {
      chain = this.#chain(request);
      this.#chains.set(key, chain);
    }
    return chain;
  }

  #chain(request: FontRequest): FontChain {
    const { font, fontFamily, fontWeight, fontStyle, fallbackFonts } = request;
    const { families, files, fallbacks } = this.#catalog;
    const variantOf = (all: readonly CatalogFile[]) => chooseVariant(all, fontWeight, fontStyle);
    const familyOf = (name: string): CatalogFamily | undefined => families.get(foldCase(name));
    const named = font === undefined ? undefined : files.get(font.sha256);
    const family = familyOf(fontFamily);
    const first = named ?? variantOf((family ?? DEFAULT_FAMILY).files);
    if (first === undefined) {
      throw new Error("The system families have no files.");
    }
    const fallback =
      font === undefined || named === undefined
        ? family?.fallback
        : fallbacks.get(font.familyGuid)?.files;
    const isMissing = font === undefined ? family === undefined : named === undefined;
    const candidates = [
      first,
      ...fallbackFonts.map((name) => variantOf(familyOf(name)?.files ?? [])),
      variantOf(fallback ?? []),
      ...SYSTEM_FALLBACKS.map(variantOf),
    ];
    const chain = new Map(
      candidates.flatMap((file) => (file === undefined ? [] : [[file.sha256, file] as const])),
    );
    return {
      first: this.#open(first),
      substituted: isMissing ? fontFamily : undefined,
      faceFor: (codePoints) => {
        for (const file of chain.values()) {
          const face = this.#open(file);
          if (codePoints.every((codePoint) => face.has(codePoint))) {
            return face;
          }
        }
        return undefined;
      },
    };
  }

  #open(file: CatalogFile): FontFace {
    const face = this.#shaper.find(file.sha256);
    if (face === undefined) {
      throw new FaceNotOpenError(file);
    }
    return face;
  }
}

/** Where the files of open faces are. */
const FILES = new WeakMap<FontFace, CatalogFile>();

/** Opens the files of faces that were closed again: those of the service and of this workspace. */
export async function reopenFaces(
  env: Pick<RendererEnv, "ASSETS" | "FILES">,
  workspaceId: string,
  shaper: Shaper,
  faces: readonly FontFace[],
): Promise<void> {
  for (const face of faces) {
    const file = FILES.get(face);
    const isReadable =
      file?.place.kind === "system" || file?.place.key.startsWith(`${workspaceId}/`) === true;
    if (file !== undefined && isReadable) {
      await openFace(env, workspaceId, shaper, file);
    }
  }
}

/** Reads a font file and opens it. Rejects if the file is gone, or does not fit into the shaper. */
export async function openFace(
  env: Pick<RendererEnv, "ASSETS" | "FILES">,
  workspaceId: string,
  shaper: Shaper,
  file: CatalogFile,
): Promise<void> {
  const bytes = await readFontFile(env, workspaceId, file.place);
  FILES.set(shaper.open(file.sha256, bytes), file);
}

async function readFontFile(
  env: Pick<RendererEnv, "ASSETS" | "FILES">,
  workspaceId: string,
  place: CatalogFile["place"],
): Promise<Uint8Array> {
  if (place.kind === "system") {
    // The host is ignored by an assets binding; the path identifies the file.
    const found = await env.ASSETS.fetch(`http://assets/${place.asset}`);
    if (!found.ok) {
      await found.body?.cancel();
      throw new Error(`The system font ${place.asset} is not among the deployment's assets.`);
    }
    return found.bytes();
  }
  assertWorkspaceKey(workspaceId, place.key);
  const object = await env.FILES.get(place.key);
  if (object === null) {
    throw new Error("The bytes of a font file are not there.");
  }
  return object.bytes();
}
