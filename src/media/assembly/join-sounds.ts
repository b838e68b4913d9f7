import type { AudioBlock } from "../audio-block.ts";
import { silentBlocks } from "../silent-blocks.ts";
import { assembleSound, type PlacedSound } from "./assemble-sound.ts";

/** A sound to be joined, in the rate and the channels of the result. */
export interface JoinedSound {
  readonly frames: number;
  open(): AsyncGenerator<AudioBlock>;
}

export interface Joint {
  readonly channels: number;
  /** Frames of silence between two sounds; 0 with a crossfade. */
  readonly gapFrames: number;
  /** Frames over which a sound fades into the next one, at most half of the shorter one. */
  readonly crossfadeFrames: number;
}

/** Frames of the crossfade between sounds that follow each other. */
function crossfades(sounds: readonly JoinedSound[], wanted: number): readonly number[] {
  return sounds
    .slice(1)
    .map(({ frames }, index) =>
      Math.min(wanted, Math.floor(Math.min(frames, sounds[index]?.frames ?? 0) / 2)),
    );
}

/** Length of joined sounds, in frames (docs/contract/media.md#joining). */
export function joinedFrames(sounds: readonly JoinedSound[], joint: Joint): number {
  const sum = sounds.reduce((frames, sound) => frames + sound.frames, 0);
  const gaps = joint.gapFrames * Math.max(0, sounds.length - 1);
  const shared = crossfades(sounds, joint.crossfadeFrames).reduce((all, one) => all + one, 0);
  return sum + gaps - shared;
}

/** Sounds one after another. Only those that sound at the same time are open. */
export async function* joinSounds(
  sounds: readonly JoinedSound[],
  joint: Joint,
): AsyncGenerator<AudioBlock> {
  if (joint.crossfadeFrames > 0) {
    yield* assembleSound(crossfaded(sounds, joint), {
      channels: joint.channels,
      frames: joinedFrames(sounds, joint),
    });
    return;
  }
  // Nothing is summed, so samples are moved as they are.
  for (const [index, sound] of sounds.entries()) {
    if (index > 0) {
      yield* silentBlocks(joint.channels, joint.gapFrames);
    }
    yield* sound.open();
  }
}

function crossfaded(sounds: readonly JoinedSound[], joint: Joint): readonly PlacedSound[] {
  const fades = crossfades(sounds, joint.crossfadeFrames);
  let start = 0;
  return sounds.map((sound, index) => {
    const [fadeIn, fadeOut] = [fades[index - 1] ?? 0, fades[index] ?? 0];
    const placed = {
      start,
      frames: sound.frames,
      gain: 1,
      fadeIn,
      fadeOut,
      open: () => sound.open(),
    };
    start += sound.frames - fadeOut;
    return placed;
  });
}
