/** Frames of the sound in test/golden/media: no multiple of any packet's length. */
export const SIGNAL_FRAMES = 17_321;
export const SIGNAL_RATE = 44_100;

/**
 * Two channels of 16-bit integers, made by integer arithmetic alone so that every machine makes the same: slow sweeps of
 * triangles with a click every 4,000 frames, which shows a shift by one frame.
 */
export function testSignal(frames = SIGNAL_FRAMES): readonly [Int16Array, Int16Array] {
  const triangle = (phase: number) => Math.abs((phase % 65_536) - 32_768) - 16_384;
  const channel = (step: number, bend: number) => {
    let phase = 0;
    return Int16Array.from({ length: frames }, (_, i) => {
      phase += step + ((i * bend) >> 10);
      const click = i % 4_000 < 12 ? 9_000 : 0;
      return Math.trunc(triangle(phase) / 2) + click;
    });
  };
  return [channel(400, 30), channel(900, 17)];
}

/** Interleaved little-endian bytes of the channels. */
export function interleaved(channels: readonly Int16Array[]): Uint8Array {
  const frames = channels[0]?.length ?? 0;
  const bytes = new Uint8Array(frames * channels.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < frames; i++) {
    for (const [c, samples] of channels.entries()) {
      view.setInt16((i * channels.length + c) * 2, samples[i] ?? 0, true);
    }
  }
  return bytes;
}
