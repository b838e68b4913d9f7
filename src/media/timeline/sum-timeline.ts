import { assembleSound } from "../assembly/assemble-sound.ts";
import type { AudioBlock } from "../audio-block.ts";
import type { PlacedTimeline } from "./place-cues.ts";

/** Decodes an element's clip, from its beginning each time, in the rate and the channels of the timeline. */
export type OpenClip = (index: number) => AsyncGenerator<AudioBlock>;

/**
 * The sum of the clips of a timeline, in blocks that are valid until the next one. A clip that ends before its length is
 * silent from there. Clips are read as `assembleSound` reads them: a window at a time, and a few of them open.
 */
export function sumTimeline(
  { frames, cues }: PlacedTimeline,
  channels: number,
  openClip: OpenClip,
): AsyncGenerator<AudioBlock> {
  return assembleSound(
    cues
      .filter((placed) => placed.frames > 0)
      .map((placed) => ({
        start: placed.startFrame,
        frames: placed.frames,
        gain: 1,
        fadeIn: 0,
        fadeOut: placed.fadeFrames,
        open: () => openClip(placed.cue.index),
      })),
    { channels, frames },
  );
}
