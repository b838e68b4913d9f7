import { NodeError } from "../../../lib/errors/node-error.ts";
import { OPUS_RATE } from "../../codec/opus-head.ts";
import type { TrackDescription } from "../media-track.ts";
import type { MovieTrack } from "../movie-track.ts";
import { elementsIn, findElement, ID, unsignedOf } from "./ebml.ts";
import { element, float, string, unsigned } from "./write-ebml.ts";

const TYPES = { video: 1, sound: 2, text: 17 } as const;
/** Elements that are written for each file, or say something about the bytes of the source. */
const OWN: ReadonlySet<number> = new Set([
  ID.trackNumber,
  ID.trackUid,
  ID.flagDefault,
  ID.flagLacing,
  ID.language,
  ID.languageTag,
  ID.codecDelay,
  ID.crc32,
  ID.void,
]);
/** Sound that Opus needs before a jump, as RFC 7845 (4.6) recommends. */
const OPUS_PREROLL_NS = 80_000_000;

/**
 * The TrackEntry of a track: the elements of its source's entry if this is a WebM too, else those of its codec. Throws NodeError
 * `MEDIA_CODEC_UNSUPPORTED` for codecs that a WebM does not have.
 */
export function trackEntry(track: MovieTrack, number: number): Uint8Array {
  const { description, language, isDefault, sound } = track;
  const skip = sound?.trim?.skip ?? 0;
  const delayNs = sound === null ? 0 : Math.round((skip * 1e9) / sound.sampleRate);
  return element(
    ID.trackEntry,
    unsigned(ID.trackNumber, number),
    unsigned(ID.trackUid, number),
    unsigned(ID.flagLacing, 0),
    unsigned(ID.flagDefault, isDefault ? 1 : 0),
    string(ID.language, language),
    ...(delayNs === 0 ? [] : [unsigned(ID.codecDelay, delayNs)]),
    ...(description?.container === "webm" ? kept(description.trackEntry) : made(track)),
  );
}

function kept(entry: Uint8Array): readonly Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (const { id, data } of elementsIn(entry, 2)) {
    if (!OWN.has(id)) {
      parts.push(element(id, data));
    }
  }
  return parts;
}

function made({ kind, codec, config, sound }: MovieTrack): readonly Uint8Array[] {
  if (kind === "text" && codec === "webvtt") {
    return [unsigned(ID.trackType, TYPES.text), string(ID.codecId, "S_TEXT/WEBVTT")];
  }
  if (codec !== "opus" || sound === null) {
    throw new NodeError(
      "MEDIA_CODEC_UNSUPPORTED",
      `The file's ${kind} has the codec "${codec}", which cannot be copied into a WebM. Convert the file first.`,
    );
  }
  return [
    unsigned(ID.trackType, TYPES.sound),
    string(ID.codecId, "A_OPUS"),
    element(ID.codecPrivate, config),
    unsigned(ID.seekPreRoll, OPUS_PREROLL_NS),
    element(
      ID.audio,
      float(ID.samplingFrequency, OPUS_RATE),
      unsigned(ID.channels, sound.channels),
    ),
  ];
}

/** Nanoseconds for which a picture is shown where its block does not state it; 0 if the entry does not either. */
export function statedDurationNs(description: TrackDescription | null): number {
  if (description?.container !== "webm") {
    return 0;
  }
  const stated = findElement(description.trackEntry, ID.defaultDuration);
  return stated === undefined ? 0 : unsignedOf(stated);
}
