import type { Sound } from "./wav-reader.ts";

/** A passage with sound, in seconds. */
export interface Cue {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const WINDOW_SECONDS = 0.02;
/** -40 dBFS. */
const THRESHOLD = 10 ** (-40 / 20);
const GAP_SECONDS = 0.3;
const CUE_TEXT = "[sample] sound";

/**
 * The sample transcript: passages whose level in windows of 20 ms is above -40 dBFS, joined over
 * gaps below 300 ms. The level is the root mean square over all channels.
 */
export async function findSounds(sound: Sound): Promise<Cue[]> {
  const { sampleRate, channels } = sound;
  const passages: { start: number; end: number }[] = [];
  let [frame, index, squares, counted] = [0, 0, 0, 0];
  const close = (end: number) => {
    if (counted > 0 && Math.sqrt(squares / counted) > THRESHOLD) {
      const start = index * WINDOW_SECONDS;
      const last = passages.at(-1);
      if (last !== undefined && start - last.end < GAP_SECONDS - 1e-9) {
        last.end = end;
      } else {
        passages.push({ start, end });
      }
    }
    [squares, counted] = [0, 0];
    index++;
  };
  for await (const block of sound.blocks()) {
    for (let at = 0; at < block.length; at += channels, frame++) {
      if (frame >= (index + 1) * WINDOW_SECONDS * sampleRate) {
        close((index + 1) * WINDOW_SECONDS);
      }
      for (let channel = at; channel < at + channels; channel++) {
        squares += (block[channel] as number) ** 2;
      }
      counted += channels;
    }
  }
  close(frame / sampleRate);
  return passages.map(({ start, end }) => ({
    start: rounded(start),
    end: rounded(end),
    text: CUE_TEXT,
  }));
}

/** To the millisecond. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
