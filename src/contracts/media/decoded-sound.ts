/** The media Worker's service that decodes stored sounds (docs/decisions/media-worker.md), called by the runner. */
import {
  flag,
  integer,
  nullable,
  object,
  optional,
  type Shape,
  text,
  version,
  whole,
} from "../../lib/json/shape.ts";

/** A stored sound, in the words of `FileRef`. */
export interface DecodeSoundRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly file: {
    readonly key: string;
    readonly name: string;
    readonly content_type: string;
    readonly size_bytes: number;
    readonly etag: string | null;
    readonly pack: { readonly key: string; readonly offset: number } | null;
    /** Base64 of the bytes of a file that is sent with its reference. */
    readonly content: string | null;
  };
  /** The caller reads the number of frames from the body where the file does not state it. */
  readonly reads_count?: boolean;
}

export const decodeSoundRequest: Shape<DecodeSoundRequest> = object<DecodeSoundRequest>({
  v: version(1),
  workspace_id: text,
  file: object<DecodeSoundRequest["file"]>({
    key: text,
    name: text,
    content_type: text,
    size_bytes: whole,
    etag: nullable(text),
    pack: nullable(object({ key: text, offset: integer })),
    content: nullable(text),
  }),
  reads_count: optional(flag),
});

export interface SoundDecoderApi {
  /**
   * 200 with the samples as a stream: 32-bit float, little-endian, interleaved. It ends early where the rest cannot be decoded. 422
   * with a text that says why, where nothing can; 503 to ask again. With `reads_count`, a sound whose length has to be counted has
   * no header `frames`: its body begins as `SOUND_COUNT` describes.
   */
  decode(request: DecodeSoundRequest): Promise<Response>;
}

/** Headers of the answer with the shape of the samples. */
export const SOUND_HEADERS = {
  sampleRate: "x-sample-rate",
  channels: "x-channels",
  frames: "x-frames",
} as const;

/**
 * The beginning of a body without the header `frames`: a byte `counting` for each part of the sound that was counted, so that a
 * caller who leaves is noticed, then `counted` and the number of frames as a 64-bit float, little-endian, before the samples; or
 * `refused` and a text that says why nothing can be decoded.
 */
export const SOUND_COUNT = { counting: 0, counted: 1, refused: 2 } as const;
