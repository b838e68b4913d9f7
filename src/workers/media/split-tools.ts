import { SOUND_FORMAT_ENTRIES } from "../../contracts/media/sound-formats.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { AudioBlock } from "../../media/audio-block.ts";
import { ByteWindow } from "../../media/container/byte-window.ts";
import { presentedParts } from "../../media/container/decode-track.ts";
import { mediaTooLong } from "../../media/container/media-error.ts";
import type { MediaTrack } from "../../media/container/media-track.ts";
import { writeMovie } from "../../media/container/movie-writer.ts";
import { openMedia, requireSoundTrack } from "../../media/container/open-media.ts";
import { DECODED_SECONDS_MAX, type SoundInfo } from "../../media/container/open-sound.ts";
import { readWavHeader } from "../../media/container/wav/wav-header.ts";
import { BlockCutter } from "../../media/cutting/cut-blocks.ts";
import { copiedSound } from "../../media/cutting/copied-sound.ts";
import { cutWav } from "../../media/cutting/cut-wav.ts";
import {
  type FrameRange,
  frameRanges,
  groupsWithoutOverlap,
} from "../../media/cutting/segment-ranges.ts";
import { splitFormat } from "../../media/cutting/split-format.ts";
import type { AudioTools, SplitRequest } from "../../nodes/define-audio-tools.ts";
import type { Segment } from "../../nodes/define-segments.ts";
import type { SoundFiles } from "./sound-files.ts";

/** Longest sound that is cut without decoding it, in seconds. */
const COPIED_SECONDS_MAX = LIMITS.media_duration.value / 1_000;

type Using = <T>(work: (sounds: SoundFiles) => Promise<T>) => Promise<T>;

/** The tool that cuts sounds. */
export function createSplitTools(using: Using): Pick<AudioTools, "split"> {
  return {
    split: (file, segments, request) =>
      using(async (sounds) => {
        const info = await sounds.inspect(file, COPIED_SECONDS_MAX);
        const isSource = request.format === "source";
        if (isSource && info.container === "wav") {
          return await copySamples(sounds, file, segments);
        }
        if (isSource && (info.codec === "aac" || info.codec === "alac")) {
          return await copyPackets(sounds, file, info, segments);
        }
        return await encodeOnce(sounds, file, info, segments, request);
      }),
  };
}

/** WAV, byte by byte. */
async function copySamples(
  sounds: SoundFiles,
  file: FileRef,
  segments: readonly Segment[],
): Promise<readonly FileRef[]> {
  const window = new ByteWindow(await sounds.source(file));
  const header = await readWavHeader(window);
  const ranges = frameRanges(segments, header.sampleRate, header.frames);
  return await eachRange(ranges, ({ index, ...range }) =>
    sounds.store(`segment_${index}.wav`, SOUND_FORMAT_ENTRIES.wav.contentType, (sink) =>
      cutWav(window, header, range, sink, sounds.signal),
    ),
  );
}

/** AAC and ALAC, packet by packet, in M4A. */
async function copyPackets(
  sounds: SoundFiles,
  file: FileRef,
  shape: SoundInfo,
  segments: readonly Segment[],
): Promise<readonly FileRef[]> {
  const track = requireSoundTrack(await openMedia(await sounds.source(file)));
  await track.prepare();
  const parts = presentedParts(track, shape.sampleRate / track.timeScale);
  const frames = shape.frames ?? (await countFrames(track, shape, parts));
  const ranges = frameRanges(segments, shape.sampleRate, frames);
  return await eachRange(ranges, ({ index, from, to }) =>
    sounds.store(`segment_${index}.m4a`, SOUND_FORMAT_ENTRIES.m4a.contentType, (sink) =>
      writeMovie("m4a", [copiedSound(track, { shape, parts, from, to })], sink, sounds.signal),
    ),
  );
}

/** The presented frames of a track whose header does not state them; its last part is open. */
async function countFrames(
  track: MediaTrack,
  { sampleRate }: SoundInfo,
  parts: ReturnType<typeof presentedParts>,
): Promise<number> {
  let end = 0;
  for await (const { pts, duration } of track.heads?.() ?? track.packets()) {
    end = Math.max(end, pts + duration);
  }
  const media = Math.round((end * sampleRate) / track.timeScale);
  if (media > COPIED_SECONDS_MAX * sampleRate) {
    throw mediaTooLong(media / sampleRate, COPIED_SECONDS_MAX);
  }
  return parts.reduce(
    (sum, { start, frames }) => sum + (frames ?? Math.max(0, media - (start ?? 0))),
    0,
  );
}

/** All others: decoded in as few passes as the overlaps of the segments allow, and encoded once. */
async function encodeOnce(
  sounds: SoundFiles,
  file: FileRef,
  { sampleRate, frames: stated }: SoundInfo,
  segments: readonly Segment[],
  request: SplitRequest,
): Promise<readonly FileRef[]> {
  if (stated !== null && stated > DECODED_SECONDS_MAX * sampleRate) {
    throw mediaTooLong(stated / sampleRate, DECODED_SECONDS_MAX);
  }
  const [input] = await sounds.input("audio", file);
  const { info } = input;
  const format = splitFormat(request, info);
  const ranges = frameRanges(segments, info.sampleRate, input.frames);
  const files: FileRef[] = [];
  for (const group of groupsWithoutOverlap(ranges)) {
    const pass = await sounds.beginPass(input);
    const cutter = new BlockCutter(pass.blocks);
    try {
      for (const { index, from, to } of group) {
        const blocks = sounds.converted(cutter.take(from, to), input, format);
        const frames = Math.round(((to - from) * format.sampleRate) / info.sampleRate);
        const checked = followedBy(blocks, () => {
          pass.check();
        });
        files[index] = (await sounds.write(`segment_${index}`, format, checked, frames)).file;
      }
    } finally {
      await cutter.close();
      pass.close();
    }
  }
  return files;
}

/** The blocks, and a check before they end. */
async function* followedBy(
  blocks: AsyncIterable<AudioBlock>,
  check: () => void,
): AsyncGenerator<AudioBlock> {
  yield* blocks;
  check();
}

async function eachRange(
  ranges: readonly FrameRange[],
  write: (range: FrameRange) => Promise<FileRef>,
): Promise<readonly FileRef[]> {
  const files: FileRef[] = [];
  for (const range of ranges) {
    files.push(await write(range));
  }
  return files;
}
