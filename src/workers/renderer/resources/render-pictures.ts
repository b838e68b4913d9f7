import { decodeXml } from "../../../formats/svg/decode-xml.ts";
import { SvgMalformedError } from "../../../formats/svg/svg-malformed-error.ts";
import type { PictureFailure } from "../../../contracts/layout-report.ts";
import type { ImageCodecs } from "../../../images/open-image.ts";
import { LIMITS } from "../../../lib/limits-table.ts";
import { sha256HexOfBytes } from "../../../lib/sha256.ts";
import type { PdfArtwork } from "../../../render/pdf/pdf-resources.ts";
import { type PictureRules, preparePicture } from "../../../render/pdf/pictures/prepare-picture.ts";
import type { PreparedPicture } from "../../../render/pdf/pictures/prepared-picture.ts";
import { readDrawing } from "../../../render/svg/read-drawing.ts";
import type { PictureResource } from "../../../templates/layout/layout-resources.ts";
import { type PictureInputs, type PictureReader, readPicture } from "./read-picture.ts";

/** Pictures that are read at the same time. */
const READS_MAX = 4;
const BYTES_MAX = LIMITS.render_pictures.value;
/** How far into a file its first element is looked for. */
const SVG_START_BYTES = 4_096;
/** Sources that are remembered after their document; a `data:` address is longer and read again. */
const REMEMBERED_CHARACTERS_MAX = 2_048;
/** Of cleaned drawings that are kept for the documents that follow. */
const KEPT_DRAWING_BYTES = 4 * 1024 * 1024;

export interface PictureTools {
  readonly codecs: ImageCodecs;
  readonly rules: PictureRules;
}

/**
 * The pictures and drawings of one render, or of the documents of one file one after another. One that cannot be read or
 * printed has a reason in its place.
 */
export class RenderPictures {
  /** By source. */
  readonly resources = new Map<string, PictureResource>();
  /** By the source text of an `svg_artwork`. */
  readonly artworks = new Map<string, PictureResource>();
  readonly #reader: Pick<PictureReader, "env" | "workspaceId">;
  readonly #tools: PictureTools;
  /** By key, as the next. */
  readonly #prepared = new Map<string, PreparedPicture>();
  readonly #drawings = new Map<string, PdfArtwork>();
  #drawingBytes = 0;
  /** Keys of pictures that the writer has read: their bytes are in the file. */
  readonly #written = new Set<string>();
  #bytesLeft = BYTES_MAX;
  /** Whether a picture that failed may be there later. */
  mayRetry = false;

  constructor(reader: Pick<PictureReader, "env" | "workspaceId">, tools: PictureTools) {
    this.#reader = reader;
    this.#tools = tools;
  }

  prepared(key: string): PreparedPicture {
    const picture = this.#prepared.get(key);
    if (picture === undefined) {
      throw new Error(`The layout used a picture that is not loaded: ${key}.`);
    }
    this.#written.add(key);
    return picture;
  }

  artwork(key: string): PdfArtwork {
    const drawing = this.#drawings.get(key);
    if (drawing === undefined) {
      throw new Error(`The layout used a drawing that is not loaded: ${key}.`);
    }
    return drawing;
  }

  /**
   * Reads what a layout needs, each once. Pictures beyond the limit of all together are `too_large`. Rethrows errors of the
   * stores.
   */
  async load(
    pictures: readonly string[],
    artworks: readonly string[],
    from: { readonly inputs: PictureInputs; readonly signal: AbortSignal },
  ): Promise<void> {
    const reader = { ...this.#reader, ...from };
    const left = pictures.filter((source) => !this.resources.has(source));
    const work = async () => {
      for (let source = left.shift(); source !== undefined; source = left.shift()) {
        this.resources.set(source, await this.#read(reader, source));
      }
    };
    await Promise.all(Array.from({ length: READS_MAX }, work));
    for (const svg of artworks.filter((one) => !this.artworks.has(one))) {
      this.artworks.set(svg, await this.#draw(svg));
    }
  }

  /**
   * Ends a document whose pages are written, before the next one of the same file is loaded. What was written stays
   * known by its source, without its bytes; what was not is read again.
   */
  endDocument(): void {
    const dropsDrawings = this.#drawingBytes > KEPT_DRAWING_BYTES;
    for (const [source, resource] of this.resources) {
      const isGone =
        source.length > REMEMBERED_CHARACTERS_MAX ||
        (resource.kind === "raster" && !this.#written.has(resource.key)) ||
        (resource.kind === "artwork" && dropsDrawings);
      if (isGone) {
        this.resources.delete(source);
      }
    }
    if (dropsDrawings) {
      this.artworks.clear();
      this.#drawings.clear();
      this.#drawingBytes = 0;
    }
    this.#prepared.clear();
    this.#bytesLeft = BYTES_MAX;
  }

  async #read(reader: PictureReader, source: string): Promise<PictureResource> {
    const read = await readPicture(reader, source);
    if ("reason" in read) {
      this.mayRetry ||= read.mayRetry;
      return failed(read.reason);
    }
    const { bytes } = read;
    if (isSvg(bytes)) {
      return await this.#drawFile(bytes);
    }
    const key = await sha256HexOfBytes(bytes);
    const picture = this.#prepared.get(key) ?? (await this.#prepare(bytes));
    if (typeof picture === "string") {
      return failed(picture);
    }
    this.#prepared.set(key, picture);
    const { width, height } = picture.facts;
    return { kind: "raster", key, width, height };
  }

  async #prepare(bytes: Uint8Array): Promise<PreparedPicture | PictureFailure> {
    if (bytes.byteLength > this.#bytesLeft) {
      return "too_large";
    }
    this.#bytesLeft -= bytes.byteLength;
    return await preparePicture(bytes, this.#tools.codecs, this.#tools.rules);
  }

  async #drawFile(bytes: Uint8Array): Promise<PictureResource> {
    if (bytes.byteLength > LIMITS.svg_import.value) {
      return failed("too_large");
    }
    try {
      return await this.#draw(decodeXml(bytes));
    } catch (error) {
      if (error instanceof SvgMalformedError) {
        return failed("unreadable");
      }
      throw error;
    }
  }

  /** A drawing of any origin. */
  async #draw(svg: string): Promise<PictureResource> {
    const drawing = readDrawing(svg);
    if (typeof drawing === "string") {
      return failed(drawing);
    }
    const { clean, ...artwork } = drawing;
    const key = await sha256HexOfBytes(new TextEncoder().encode(clean));
    if (!this.#drawings.has(key)) {
      this.#drawingBytes += clean.length;
    }
    this.#drawings.set(key, artwork);
    const { width, height, preserveAspectRatio } = artwork;
    return { kind: "artwork", key, width, height, preserveAspectRatio };
  }
}

function failed(reason: PictureFailure): PictureResource {
  return { kind: "failed", reason };
}

/** Rasters do not begin with text. */
function isSvg(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, SVG_START_BYTES)).trimStart();
  return start.startsWith("<") && /<(?:[A-Za-z]+:)?svg[\s>]/.test(start);
}
