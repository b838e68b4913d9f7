import { decodeXml } from "../../../formats/svg/decode-xml.ts";
import { SvgMalformedError } from "../../../formats/svg/svg-malformed-error.ts";
import type { PictureFailure } from "../../../contracts/templates/layout-report.ts";
import type { ImageCodecs } from "../../../images/open-image.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { sha256HexOfBytes } from "../../../lib/sha256.ts";
import type { PdfArtwork } from "../../../render/pdf/pdf-resources.ts";
import type { PictureRules } from "../../../render/pdf/pictures/picture-rules.ts";
import { preparePicture, preparingBytes } from "../../../render/pdf/pictures/prepare-picture.ts";
import type { PreparedPicture } from "../../../render/pdf/pictures/prepared-picture.ts";
import type { Drawing } from "../../../render/svg/read-drawing.ts";
import type { PictureResource } from "../../../templates/layout/resources/layout-resources.ts";
import { FailedRender } from "../failed-render.ts";
import type { RoomLease } from "../render-room.ts";
import { ReadAhead } from "./read-ahead.ts";
import {
  type PictureBytes,
  type PictureInputs,
  type PictureReader,
  readPicture,
} from "./read-picture.ts";

/** Pictures that are read at the same time. */
const READS_MAX = 4;
const BYTES_MAX = LIMITS.render_pictures.value;
/** Of prepared pictures that are kept until their page is written; the others are read again for it. */
const KEPT_BYTES_MAX = LIMITS.render_kept_pictures.value;
/** How far into a file its first element is looked for. */
const SVG_START_BYTES = 4_096;
/** Sources that are remembered after their document; a `data:` address is longer and read again. */
const REMEMBERED_CHARACTERS_MAX = 2_048;
/** Of cleaned drawings that are kept for the documents that follow. */
const KEPT_DRAWING_BYTES = 4 * 1024 * 1024;
const NOT_READ: PictureBytes = { reason: "fetch_failed", mayRetry: true };

/** A drawing with the names for which its texts print in Noto Sans. */
export type PrintedDrawing = Drawing & { readonly substitutedFonts: readonly string[] };

export interface PictureTools {
  readonly codecs: ImageCodecs;
  readonly rules: PictureRules;
  /** Reads a drawing, and opens the faces that its texts print with. */
  readonly readDrawing: (
    svg: string,
    signal: AbortSignal,
  ) => Promise<PrintedDrawing | PictureFailure>;
  /** Of a picture while it is decoded and compressed again. */
  readonly bytesMax: number;
  /** Memory that pictures share with the fonts. */
  readonly lease: () => RoomLease;
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
  readonly #reader: Pick<PictureReader, "env" | "workspaceId" | "onFetched">;
  readonly #tools: PictureTools;
  /** By key, as the next three. */
  readonly #prepared = new Map<string, PreparedPicture>();
  readonly #rasters = new Map<string, PictureResource>();
  /** Reads a picture that is not kept. */
  readonly #again = new Map<
    string,
    (take: PictureReader["take"]) => Promise<PictureBytes> | PictureBytes
  >();
  /** Memory of a picture that is read again, until it is written. */
  #lease: RoomLease | undefined;
  readonly #drawings = new Map<string, PdfArtwork>();
  #drawingBytes = 0;
  /** Keys of pictures that the writer has read: their bytes are in the file. */
  readonly #written = new Set<string>();
  #bytesLeft = BYTES_MAX;
  #keptBytes = 0;
  /** Whether a picture that failed may be there later. */
  mayRetry = false;

  constructor(
    reader: Pick<PictureReader, "env" | "workspaceId" | "onFetched">,
    tools: PictureTools,
  ) {
    this.#reader = reader;
    this.#tools = tools;
  }

  /** Throws FailedRender if a picture that is not kept has changed since it was loaded, or cannot be read again. */
  async prepared(key: string): Promise<PreparedPicture> {
    const picture = this.#prepared.get(key) ?? (await this.#prepareAgain(key));
    this.#written.add(key);
    return picture;
  }

  /** Ends the use of a picture that was asked for: its memory is the fonts' again. */
  async endPicture(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    await lease?.end();
  }

  /** Forgets all pictures: the file that shows them is written. */
  drop(): void {
    this.#prepared.clear();
    this.#keptBytes = 0;
  }

  artwork(key: string): PdfArtwork {
    const drawing = this.#drawings.get(key);
    if (drawing === undefined) {
      throw new Error(`The layout used a drawing that is not loaded: ${key}.`);
    }
    return drawing;
  }

  /**
   * Reads what a layout needs, in the given order. Throws FailedRender if all together have too many bytes. Rethrows errors
   * of the stores.
   */
  async load(
    pictures: readonly string[],
    artworks: readonly string[],
    from: { readonly inputs: PictureInputs; readonly signal: AbortSignal },
  ): Promise<void> {
    const reader = { ...this.#reader, ...from };
    const left = pictures.filter((source) => !this.resources.has(source));
    const ahead = new ReadAhead();
    const reads: Promise<PictureBytes>[] = [];
    const lease = this.#tools.lease();
    const taken = new Map<number, number>();
    try {
      for (const [place, source] of left.entries()) {
        for (
          let next = place + reads.length;
          next < left.length && reads.length < READS_MAX;
          next++
        ) {
          const take = async (bytes: number) => {
            await ahead.take(next, bytes);
            lease.grow(bytes);
            taken.set(next, (taken.get(next) ?? 0) + bytes);
          };
          const read = Promise.resolve(readPicture({ ...reader, take }, left[next] ?? ""));
          // Reported where it is awaited, in order.
          read.catch(() => undefined);
          reads.push(read);
        }
        const again = (take: PictureReader["take"]) => readPicture({ ...reader, take }, source);
        const read = (await reads.shift()) ?? NOT_READ;
        this.resources.set(source, await this.#use(read, again, lease, from.signal));
        lease.shrink(taken.get(place) ?? 0);
        ahead.next();
      }
    } finally {
      await lease.end();
    }
    for (const svg of artworks.filter((one) => !this.artworks.has(one))) {
      this.artworks.set(svg, await this.#draw(svg, from.signal));
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
    this.#rasters.clear();
    this.#again.clear();
    this.#keptBytes = 0;
    this.#bytesLeft = BYTES_MAX;
  }

  async #use(
    read: PictureBytes,
    again: (take: PictureReader["take"]) => Promise<PictureBytes> | PictureBytes,
    lease: RoomLease,
    signal: AbortSignal,
  ): Promise<PictureResource> {
    if ("reason" in read) {
      this.mayRetry ||= read.mayRetry;
      return failed(read.reason);
    }
    const { bytes } = read;
    if (isSvg(bytes)) {
      return await this.#drawFile(bytes, signal);
    }
    const key = await sha256HexOfBytes(bytes);
    const known = this.#rasters.get(key);
    if (known !== undefined) {
      return known;
    }
    this.#bytesLeft -= bytes.byteLength;
    if (this.#bytesLeft < 0) {
      throw new FailedRender(
        "too_large",
        `The pictures have more than ${BYTES_MAX} bytes together. Send smaller ones.`,
      );
    }
    const picture = await this.#prepare(bytes, lease, { isWritten: false });
    if (typeof picture === "string") {
      return failed(picture);
    }
    const size = sizeOf(picture);
    if (this.#keptBytes + size <= KEPT_BYTES_MAX) {
      this.#keptBytes += size;
      this.#prepared.set(key, picture);
    } else {
      this.#again.set(key, again);
    }
    const { width, height } = picture.facts;
    const raster: PictureResource = { kind: "raster", key, width, height };
    this.#rasters.set(key, raster);
    return raster;
  }

  /** The lease counts what is held while it is prepared and, for one that is written next, what it becomes. */
  async #prepare(
    bytes: Uint8Array,
    lease: RoomLease,
    { isWritten }: { readonly isWritten: boolean },
  ): Promise<PreparedPicture | PictureFailure> {
    const { decoderBytes, packedBytes } = preparingBytes(bytes);
    const left = this.#tools.bytesMax - bytes.byteLength - decoderBytes;
    if (left < 0) {
      return "too_large";
    }
    const packedBytesMax = Math.min(packedBytes, left);
    lease.grow(decoderBytes + packedBytesMax);
    const picture = await preparePicture(bytes, this.#tools.codecs, {
      ...this.#tools.rules,
      ...(packedBytesMax < packedBytes && { packedBytesMax }),
      // A picture that is read again has been counted.
      ...(isWritten && { onColors: undefined }),
    });
    lease.shrink(decoderBytes + (isWritten ? 0 : packedBytesMax));
    return picture;
  }

  async #prepareAgain(key: string): Promise<PreparedPicture> {
    const lease = (this.#lease ??= this.#tools.lease());
    const read = await this.#again.get(key)?.((bytes) => {
      lease.grow(bytes);
      return Promise.resolve();
    });
    if (read === undefined) {
      throw new Error(`The layout used a picture that is not loaded: ${key}.`);
    }
    const isSame = "bytes" in read && (await sha256HexOfBytes(read.bytes)) === key;
    const picture = isSame && (await this.#prepare(read.bytes, lease, { isWritten: true }));
    if (picture === false || typeof picture === "string") {
      const message =
        "A picture changed, or could not be read again, while the document was written.";
      throw new FailedRender("failed", message, {
        errors: [{ field: "", code: "IMAGE_FAILED", message }],
        may_retry: true,
      });
    }
    return picture;
  }

  async #drawFile(bytes: Uint8Array, signal: AbortSignal): Promise<PictureResource> {
    if (bytes.byteLength > LIMITS.svg_import.value) {
      return failed("too_large");
    }
    try {
      return await this.#draw(decodeXml(bytes), signal);
    } catch (error) {
      if (error instanceof SvgMalformedError) {
        return failed("unreadable");
      }
      throw error;
    }
  }

  /** A drawing of any origin. */
  async #draw(svg: string, signal: AbortSignal): Promise<PictureResource> {
    const drawing = await this.#tools.readDrawing(svg, signal);
    if (typeof drawing === "string") {
      return failed(drawing);
    }
    const { clean, substitutedFonts, ...artwork } = drawing;
    const key = await sha256HexOfBytes(new TextEncoder().encode(clean));
    if (!this.#drawings.has(key)) {
      this.#drawingBytes += clean.length;
    }
    this.#drawings.set(key, artwork);
    const { width, height, preserveAspectRatio } = artwork;
    return { kind: "artwork", key, width, height, preserveAspectRatio, substitutedFonts };
  }
}

function sizeOf({ pixels, alpha }: PreparedPicture): number {
  return [...pixels.data, ...(alpha?.data ?? [])].reduce(
    (sum, { byteLength }) => sum + byteLength,
    0,
  );
}

function failed(reason: PictureFailure): PictureResource {
  return { kind: "failed", reason };
}

/** Rasters do not begin with text. */
function isSvg(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, SVG_START_BYTES)).trimStart();
  return start.startsWith("<") && /<(?:[A-Za-z]+:)?svg[\s>]/.test(start);
}
