import type { SoundMetadata, SoundFormat } from "../../contracts/models/model-calls.ts";
import { MEDIA_KINDS } from "../../contracts/media/media-kinds.ts";
import type { ByteSource } from "../../lib/files/byte-source.ts";
import { HeaderWindow, tagAt } from "./header-window.ts";
import { readFlac } from "./read-flac.ts";
import { readM4a } from "./read-m4a.ts";
import { findMp3Frame, readMp3 } from "./read-mp3.ts";
import { readOgg } from "./read-ogg.ts";
import { readWav } from "./read-wav.ts";
import { type ReadMetadata, UnreadableSoundFile } from "./sound-metadata.ts";

/** RF64 and BW64 have sizes of 64 bits; their chunk of samples then states none, as one of unknown length. */
const WAV_MARKS: ReadonlySet<string> = new Set(["RIFF", "RF64", "BW64"]);
const ID3_HEAD = 10;
const TAGS_MAX = 8;

/**
 * Reads what a WAV, MP3, FLAC, Ogg or M4A is and how long it lasts, from its headers; an MP3 without a note of its length is
 * read to its end. Holds some 100 KB. Throws UnreadableSoundFile, and the errors of the source.
 */
export async function readSoundMetadata(source: ByteSource): Promise<SoundMetadata> {
  const file = new HeaderWindow(source);
  try {
    const { format, metadata } = await read(source, file);
    return { format, contentType: MEDIA_KINDS.audio.files[format].contentType, ...metadata };
  } catch (error) {
    // A field beyond the end of what a header has.
    throw error instanceof RangeError
      ? new UnreadableSoundFile("ends before its header does.", { cause: error })
      : error;
  }
}

async function read(
  source: ByteSource,
  file: HeaderWindow,
): Promise<{ readonly format: SoundFormat; readonly metadata: ReadMetadata }> {
  const start = await afterTags(file);
  const head = await file.upTo(start, 12);
  const mark = tagAt(head, 0);
  if (WAV_MARKS.has(mark) && tagAt(head, 8) === "WAVE") {
    return { format: "wav", metadata: await readWav(file) };
  }
  if (mark === "fLaC") {
    return { format: "flac", metadata: await readFlac(file, start) };
  }
  if (mark === "OggS") {
    return { format: "ogg", metadata: await readOgg(file) };
  }
  if (tagAt(head, 4) === "ftyp") {
    return { format: "m4a", metadata: await readM4a(file) };
  }
  const frame = await findMp3Frame(file, start);
  if (frame !== undefined) {
    return { format: "mp3", metadata: await readMp3(source, file, frame) };
  }
  throw new UnreadableSoundFile("is not a WAV, MP3, FLAC, Ogg or M4A.");
}

/** The format of a sound that begins with these bytes, at least 12; undefined if it is none of them. */
export function soundFormatOf(start: Uint8Array): SoundFormat | undefined {
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  const mark = tagAt(view, 0);
  if (WAV_MARKS.has(mark)) {
    return tagAt(view, 8) === "WAVE" ? "wav" : undefined;
  }
  if (mark === "fLaC" || mark === "OggS") {
    return mark === "fLaC" ? "flac" : "ogg";
  }
  if (tagAt(view, 4) === "ftyp") {
    return "m4a";
  }
  // A tag, or the first bits of a frame.
  const isFrame = view.byteLength >= 2 && (view.getUint16(0) & 0xffe0) === 0xffe0;
  return mark.startsWith("ID3") || isFrame ? "mp3" : undefined;
}

/** Position after the ID3 tags at the beginning, which MP3 and FLAC files may have. */
async function afterTags(file: HeaderWindow): Promise<number> {
  let at = 0;
  for (let count = 0; count < TAGS_MAX; count++) {
    // oxlint-disable-next-line no-await-in-loop -- where a tag begins follows from the one before
    const head = await file.upTo(at, ID3_HEAD);
    if (tagAt(head, 0, 3) !== "ID3" || head.byteLength < ID3_HEAD) {
      break;
    }
    // Four times 7 bits; a footer repeats the head.
    const size = [6, 7, 8, 9].reduce((sum, i) => sum * 128 + (head.getUint8(i) & 0x7f), 0);
    at += ID3_HEAD + size + ((head.getUint8(5) & 0x10) === 0 ? 0 : ID3_HEAD);
  }
  return at;
}
