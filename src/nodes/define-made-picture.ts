import type { MadePicture, PictureSize } from "../contracts/models/model-calls.ts";
import type { FileRef } from "../lib/files/file-ref.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import type { FileBytes } from "./define-file-tools.ts";
import type { TaskContext } from "./define-tools.ts";

type Format = "png" | "jpg" | "webp";

const FORMATS = { "image/png": "png", "image/jpeg": "jpg", "image/webp": "webp" } as const;
const TYPES = { png: "image/png", jpg: "image/jpeg", webp: "image/webp" } as const;

export interface PictureFile {
  /** Of the file, without its extension. */
  readonly name: string;
  /** `original` is the model's. */
  readonly format: Format | "original";
  /** The picture is scaled to cover this size and cut to it; null keeps the model's size. */
  readonly size: PictureSize | null;
}

/**
 * Stores a picture of a model. One with the requested size and format is stored as it arrives. Throws as storing a file
 * does, and NodeError `PROVIDER_BAD_OUTPUT` for a picture that cannot be decoded, `IMAGE_TOO_LARGE`.
 */
export async function storePicture(
  { files, images }: Pick<TaskContext<"files" | "images">, "files" | "images">,
  made: MadePicture,
  { name, format, size }: PictureFile,
): Promise<FileRef> {
  const own = FORMATS[made.contentType];
  const to = format === "original" ? own : format;
  const isOfSize =
    size === null || (made.size?.width === size.width && made.size.height === size.height);
  try {
    const scaled = isOfSize
      ? made.bytes
      : (
          await images.resize(await wholeBytes(made.bytes), made.contentType, {
            width: size.width,
            height: size.height,
            fit: "cover",
            background: null,
          })
        ).bytes;
    const bytes =
      to === own ? scaled : await images.convert(await wholeBytes(scaled), made.contentType, to);
    return await files.write(`${name}.${to}`, TYPES[to], bytes);
  } catch (error) {
    throw error instanceof NodeError && error.code === "IMAGE_UNREADABLE"
      ? new NodeError(
          "PROVIDER_BAD_OUTPUT",
          "The provider of the model answered with a picture that cannot be decoded.",
          { retryable: true, cause: error },
        )
      : error;
  }
}

async function wholeBytes(bytes: FileBytes): Promise<Uint8Array> {
  if (bytes instanceof Uint8Array) {
    return bytes;
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length > LIMITS.image_file.value) {
      throw new NodeError(
        "IMAGE_TOO_LARGE",
        `The model's picture has more than ${LIMITS.image_file.value} bytes, so its size or format cannot be changed.`,
      );
    }
    pieces.push(piece.slice());
  }
  return new Uint8Array(Buffer.concat(pieces));
}
