import { NodeError } from "../../lib/errors/node-error.ts";
import {
  type Picture,
  PictureDecoder,
  type PictureProblem,
  type PictureTrackConfig,
} from "../codec/ffmpeg/picture-decoder.ts";
import { emptyMedia, unreadableMedia, unsupportedParameter } from "../container/media-error.ts";
import type { MediaTrack } from "../container/media-track.ts";
import {
  type FoundPicture,
  mediaTickAt,
  PictureFinder,
  presentedTicks,
} from "./presented-pictures.ts";

/** Memory of a decoder: a task has 64 MB, of which ranges of the file and the encoder of the result take the rest. */
export const DECODER_BYTES_MAX = 48 * 1024 * 1024;

const CODECS: Readonly<Record<string, PictureTrackConfig["codec"]>> = {
  h264: "h264",
  hevc: "hevc",
  vp8: "vp8",
  vp9: "vp9",
};

/** Which picture of a video is wanted. */
export interface PictureRequest {
  /** In seconds of the presentation. */
  readonly at: number;
  /** The last key picture at or before the time, and not the last picture. */
  readonly onlyKeys: boolean;
}

/**
 * Decodes the picture that a player shows at a time and passes it to `use`; its planes are valid until that resolves. Only the packets
 * from the key packet before it on are decoded. Throws NodeError `MEDIA_CODEC_UNSUPPORTED`, `MEDIA_EMPTY`,
 * `MEDIA_PARAMETERS_UNSUPPORTED` for pictures that need too much memory, `MEDIA_UNREADABLE`, and the errors of the packets.
 */
export async function decodePicture<T>(
  module: WebAssembly.Module,
  track: MediaTrack,
  request: PictureRequest,
  use: (picture: Picture) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const codec = CODECS[track.codec ?? ""];
  if (codec === undefined) {
    throw undecoded(track.codecId);
  }
  const found = await findPicture(track, request, signal);
  if (found === undefined) {
    throw emptyMedia("video");
  }
  const hasConfig = codec === "h264" || codec === "hevc";
  const decoder = new PictureDecoder(module, {
    codec,
    config: hasConfig && track.config.byteLength > 0 ? track.config : null,
    memoryBytesMax: DECODER_BYTES_MAX,
  });
  try {
    const picture = await decodeTo(decoder, track, found, signal);
    if (picture === null || picture.isDamaged) {
      throw problemError(decoder.problem, track.codecId, request.at);
    }
    return await use(picture);
  } finally {
    decoder.close();
  }
}

async function findPicture(
  track: MediaTrack,
  { at, onlyKeys }: PictureRequest,
  signal: AbortSignal | undefined,
): Promise<FoundPicture | undefined> {
  const tick = mediaTickAt(presentedTicks(track), Math.round(at * track.timeScale));
  const finder = new PictureFinder(tick, onlyKeys);
  if (track.heads !== undefined) {
    for await (const head of track.heads()) {
      finder.add(head);
    }
    return finder.found;
  }
  // WebM, whose packets are in the order of their presentation.
  for await (const packet of track.packets()) {
    signal?.throwIfAborted();
    finder.add(packet, isShown(track.codec, packet.data));
    if (packet.pts > tick && finder.found !== undefined) {
      break;
    }
  }
  return finder.found;
}

/** Packets after that of a picture, before the decoder is emptied: its own buffer holds up to 16 pictures. */
const DELAYED_MAX = 17;
const VP8_SHOW = 0x10;

/** A packet of VP8 may have a picture that only others are predicted from; other codecs have those in the packet of another one. */
export function isShown(codec: string | null, data: Uint8Array): boolean {
  return codec !== "vp8" || ((data[0] ?? 0) & VP8_SHOW) !== 0;
}

async function decodeTo(
  decoder: PictureDecoder,
  track: MediaTrack,
  { index: target, key }: FoundPicture,
  signal: AbortSignal | undefined,
): Promise<Picture | null> {
  const take = (): Picture | null => {
    for (let picture = decoder.receive(); picture !== null; picture = decoder.receive()) {
      if (picture.pts === target) {
        return picture;
      }
    }
    return null;
  };
  let index: number | undefined;
  for await (const { data, dts, isKey } of track.packets({ from: key.dts })) {
    signal?.throwIfAborted();
    if (index === undefined && !(isKey && dts === key.dts)) {
      continue;
    }
    index = index === undefined ? key.index : index + 1;
    const isSent = decoder.send(data, index);
    if (!isSent && index === target) {
      return null;
    }
    const picture = take();
    if (picture !== null) {
      return picture;
    }
    // A picture waits for those that are decoded later and presented earlier.
    if (index >= target + DELAYED_MAX) {
      break;
    }
  }
  decoder.flush();
  return take();
}

const DECODED = "H.264, HEVC, VP8 and VP9";

function undecoded(id: string): NodeError {
  return new NodeError(
    "MEDIA_CODEC_UNSUPPORTED",
    `The file's video has the codec "${id}", of which no picture is decoded; ${DECODED} are. Convert the file first.`,
  );
}

function problemError(problem: PictureProblem | null, codecId: string, at: number): NodeError {
  switch (problem) {
    case "too_large":
      return unsupportedParameter(
        "has pictures of more pixels than its header says; up to 16,777,216 pixels are accepted. Scale the video down.",
      );
    case "no_memory":
      return unsupportedParameter(
        "has pictures that are predicted from so many large ones that they do not fit into memory. Set mode to keyframe, or scale the video down.",
      );
    case "unsupported":
      return new NodeError(
        "MEDIA_CODEC_UNSUPPORTED",
        `The file's video has the codec "${codecId}" with colors or bits that are not decoded; H.264 and HEVC with 4:2:0 of 8 and 10 bits are. Convert the file first.`,
      );
    default:
      return unreadableMedia(`has a picture at ${at} s that does not decode. Choose another time.`);
  }
}
