import {
  FONT_FAMILY_BYTES_MAX,
  FONT_FILE_BYTES_MAX,
  FONT_FILES_MAX,
} from "../../contracts/files/font.ts";
import type { CheckedFont } from "../../formats/font/font-check.ts";
import { describeCause } from "../../lib/errors/describe-cause.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { foldCase } from "../../lib/fold-case.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { CallerContext } from "../../platform/context.ts";
import { newGuid } from "../../platform/guid.ts";
import { FontObjectStore } from "../../storage/d1/font-object-store.ts";
import type { FontFileRow, NewRevision } from "../../storage/d1/font-rows.ts";
import { putPieces } from "../../storage/r2/put-pieces.ts";
import { quotaExceeded, quotaOf } from "../assets/storage-quota.ts";
import { checkFont } from "./check-font.ts";
import { checkFontName } from "./check-font-name.ts";

const MB = 1024 * 1024;

/** A file of the upload, as far as a revision has it. */
interface StagedFont {
  readonly facts: Pick<
    CheckedFont["facts"],
    "family" | "variant" | "weight" | "style" | "format" | "postScriptName"
  >;
  readonly sha256: string;
}

/** Depends on the content alone: the same files in any order have the same version. */
export async function fingerprintOf(
  files: readonly { readonly variant: string; readonly sha256: string }[],
): Promise<string> {
  const lines = files.map(({ variant, sha256 }) => `${variant}:${sha256}`);
  return await sha256Hex(lines.toSorted().join("\n"));
}

/**
 * The files of one upload on their way into storage. Each is streamed to R2 and checked there, so
 * that no isolate holds more of it than two parts; a revision makes them visible. `clear` removes
 * the files without a revision, whatever happened.
 */
export class FontUpload {
  readonly #ctx: CallerContext;
  readonly #objects: FontObjectStore;
  readonly #keys: string[] = [];
  readonly #fonts = new Map<string, StagedFont>();
  #maxBytes: number | null | undefined;
  #familyBytes = 0;

  constructor(ctx: CallerContext) {
    this.#ctx = ctx;
    this.#objects = new FontObjectStore(ctx.env, ctx.principal.workspaceId);
  }

  /** Family name in the fonts' name tables; undefined before the first file. */
  get family(): string | undefined {
    return this.#fonts.values().next().value?.facts.family;
  }

  /**
   * Stores and checks one file, from its pieces; a piece is valid until the next is requested.
   * Throws every `FONT_*` code that a file can cause, `quota_exceeded`, `service_unavailable`, and
   * the errors of the pieces.
   */
  async add(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const shown = shownName(name);
    if (this.#fonts.size >= FONT_FILES_MAX) {
      throw new AppError(
        "FONT_FAMILY_TOO_LARGE",
        `The form has more than ${FONT_FILES_MAX} files, the maximum for a family.`,
      );
    }
    checkFontName(name, shown);
    const key = await this.#begin();
    // The check determines the kind of font; RFC 8081 has one name for any kind.
    await putPieces(this.#ctx.env.FILES, key, this.#capped(pieces, shown), {
      contentType: "font/sfnt",
      memory: this.#ctx.memory,
    });
    const font = await checkFont(this.#ctx, key, shown);
    this.#checkTogether(font, shown);
    this.#fonts.set(font.facts.variant, font);
    if (await this.#objects.has(font.sha256)) {
      await this.#remove([key]);
    } else {
      await this.#measure(key, font);
    }
  }

  /** Stores a copy of another workspace's file, which was checked when it was uploaded. Throws `quota_exceeded`. */
  async copy(family: string, file: FontFileRow): Promise<void> {
    const { sha256, size_bytes: sizeBytes, variant, weight, style, format } = file;
    const facts = { family, variant, weight, style, format, postScriptName: file.post_script_name };
    this.#fonts.set(variant, { facts, sha256 });
    if (await this.#objects.has(sha256)) {
      return;
    }
    const key = await this.#begin();
    const object = await this.#ctx.env.FILES.get(file.key);
    if (object === null) {
      throw new Error(`The bytes of a font file are not there: ${file.id}.`);
    }
    await this.#ctx.env.FILES.put(key, object.body, { httpMetadata: { contentType: "font/sfnt" } });
    await this.#measure(key, { sha256, sizeBytes });
  }

  /** The revision with these files. Throws `FONT_REGULAR_REQUIRED`. */
  async revision(): Promise<NewRevision> {
    if (!this.#fonts.has("400")) {
      const given = [...this.#fonts.keys()].toSorted().join(", ");
      throw new AppError(
        "FONT_REGULAR_REQUIRED",
        `The family has no file of weight 400 and normal style${given === "" ? '; the form has no file in the field "files"' : `; it has ${given}`}. Send the regular variant too, in the field "files".`,
      );
    }
    const nowMs = this.#ctx.nowMs();
    return {
      versionId: newGuid(nowMs),
      fingerprint: await fingerprintOf(
        [...this.#fonts].map(([variant, { sha256 }]) => ({ variant, sha256 })),
      ),
      nowMs,
      keys: this.#keys,
      files: [...this.#fonts.values()].map(({ facts: metadata, sha256 }) => ({
        id: newGuid(nowMs),
        variant: metadata.variant,
        weight: metadata.weight,
        style: metadata.style,
        format: metadata.format,
        postScriptName: metadata.postScriptName,
        sha256,
      })),
    };
  }

  /**
   * Removes the files that no revision made visible or can make visible: a revision whose response
   * was lost may still be committed. Never throws: the sweep of unfinished fonts tries again.
   */
  async clear(): Promise<void> {
    try {
      await this.#remove(this.#keys);
    } catch (error) {
      this.#ctx.log.error("font_clear_failed", { reason: describeCause(error) });
    }
  }

  /** Announces a file before its bytes are written, and returns its key. */
  async #begin(): Promise<string> {
    // Null means no quota, and needs no read.
    this.#maxBytes = this.#maxBytes === undefined ? await quotaOf(this.#ctx) : this.#maxBytes;
    const { workspaceId } = this.#ctx.principal;
    const key = `${workspaceId}/fonts/${newGuid(this.#ctx.nowMs())}`;
    if (!(await this.#objects.begin(key, this.#ctx.nowMs(), this.#maxBytes))) {
      throw quotaExceeded(this.#maxBytes);
    }
    this.#keys.push(key);
    return key;
  }

  async #measure(
    key: string,
    written: { readonly sha256: string; readonly sizeBytes: number },
  ): Promise<void> {
    const maxBytes = this.#maxBytes ?? null;
    if (!(await this.#objects.measure(key, written, maxBytes))) {
      throw quotaExceeded(maxBytes);
    }
  }

  async #remove(keys: readonly string[]): Promise<void> {
    const condemned = keys.length === 0 ? [] : await this.#objects.condemn(keys);
    if (condemned.length > 0) {
      // The bytes first: the sweep finds a row without bytes, but nothing finds bytes without a
      // row.
      await this.#ctx.env.FILES.delete(condemned);
      await this.#objects.discard(condemned);
    }
  }

  /** The same pieces; throws as soon as they exceed a limit (docs/contract/fonts.md#uploads). */
  async *#capped(
    pieces: AsyncIterable<Uint8Array>,
    shown: string,
  ): AsyncGenerator<Uint8Array, void> {
    let fileBytes = 0;
    for await (const piece of pieces) {
      fileBytes += piece.byteLength;
      this.#familyBytes += piece.byteLength;
      if (fileBytes > FONT_FILE_BYTES_MAX) {
        throw new AppError(
          "FONT_FILE_TOO_LARGE",
          `${shown} is larger than ${FONT_FILE_BYTES_MAX} bytes (${FONT_FILE_BYTES_MAX / MB} MB), the maximum for a font file. Send a subset of its glyphs.`,
        );
      }
      if (this.#familyBytes > FONT_FAMILY_BYTES_MAX) {
        throw new AppError(
          "FONT_FAMILY_TOO_LARGE",
          `The files together are larger than ${FONT_FAMILY_BYTES_MAX} bytes (${FONT_FAMILY_BYTES_MAX / MB} MB), the maximum for a family. Send fewer variants, or subsets.`,
        );
      }
      yield piece;
    }
    if (fileBytes === 0) {
      throw new AppError("FONT_INVALID", `${shown} is empty. Send the TTF or OTF file itself.`);
    }
  }

  #checkTogether({ facts: metadata }: CheckedFont, shown: string): void {
    const { family } = this;
    if (family !== undefined && foldCase(family) !== foldCase(metadata.family)) {
      throw new AppError(
        "FONT_FAMILY_MISMATCH",
        `${shown} is of the family "${shownName(metadata.family)}" and the files before it of "${shownName(family)}", by their name tables. Send the files of one family.`,
      );
    }
    if (this.#fonts.has(metadata.variant)) {
      throw new AppError(
        "FONT_DUPLICATE_VARIANT",
        `${shown} is the variant ${metadata.variant}, like an earlier file. Send one file for each variant; weight and style are read from the font.`,
      );
    }
  }
}

/** A name from the caller, shortened for a message. */
function shownName(name: string): string {
  return (
    name
      .slice(0, 100)
      .replaceAll(/\p{Cc}/gu, "")
      .toWellFormed() || "A file"
  );
}
