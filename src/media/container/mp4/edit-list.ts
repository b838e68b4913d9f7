import { type ByteWindow, textAt, viewOf } from "../byte-window.ts";
import { unreadableMedia } from "../media-error.ts";
import type { Edit, SoundTrim } from "../media-track.ts";
import { type Box, contentOf, findBox } from "./box-tree.ts";

const EDITS_MAX = 1_000;
const ONCE = 0x1_0000;

/** An edit with its duration in ticks of the movie. */
interface MovieEdit {
  readonly start: number | null;
  readonly duration: number;
}

/** The edit list of a track; empty without one. Throws NodeError `MEDIA_UNREADABLE`. */
export async function readEditList(
  window: ByteWindow,
  trak: readonly Box[],
): Promise<readonly MovieEdit[]> {
  const box = findBox(trak, "edts", "elst");
  if (box === undefined) {
    return [];
  }
  const view = viewOf(await contentOf(window, box, 8, 8 + EDITS_MAX * 20));
  const isLong = view.getUint8(0) === 1;
  const count = view.getUint32(4);
  const entryBytes = isLong ? 20 : 12;
  if (count > EDITS_MAX || 8 + count * entryBytes > view.byteLength) {
    throw unreadableMedia(
      `has an edit list of ${count} entries, which does not hold them. Export it again.`,
    );
  }
  return Array.from({ length: count }, (_, i) => {
    const at = 8 + i * entryBytes;
    const duration = isLong ? longAt(view, at) : view.getUint32(at);
    const start = isLong ? signedLongAt(view, at + 8) : view.getInt32(at + 4);
    if (view.getInt32(at + (isLong ? 16 : 8)) !== ONCE && start >= 0) {
      throw unreadableMedia(
        "plays at another speed or stands still in its edit list. Export it again.",
      );
    }
    return { start: start < 0 ? null : start, duration };
  });
}

/**
 * Edits in ticks of the track. A duration counts in ticks of the movie, which are often as coarse as a millisecond: one
 * that ends within a tick of the movie of the track's end reaches to that end. What is presented after the end is cut.
 */
export function editsInTicks(
  edits: readonly MovieEdit[],
  movieScale: number,
  timeScale: number,
  trackDuration: number | null,
): readonly Edit[] {
  const tick = timeScale / movieScale;
  return edits.map(({ start, duration }, i) => {
    const ticks = duration * tick;
    if (start === null) {
      return { start, duration: Math.round(ticks) };
    }
    // Fragmented files have 0 for "up to the end".
    const isOpen = duration === 0 && i === edits.length - 1;
    const left = trackDuration === null ? null : Math.max(0, trackDuration - start);
    const isToEnd = left !== null && ticks >= left - tick;
    return { start, duration: isOpen || isToEnd ? left : Math.round(ticks) };
  });
}

const ITUNES_BYTES_MAX = 4_096;

/** The delay and length in samples that iTunes notes for AAC (`iTunSMPB`); null without the note. */
export async function readItunesTrim(
  window: ByteWindow,
  moov: readonly Box[],
): Promise<SoundTrim | null> {
  const notes = findBox(moov, "udta", "meta", "ilst")?.children ?? [];
  for (const note of notes) {
    const [name, data] = [findBox(note.children, "name"), findBox(note.children, "data")];
    if (note.type !== "----" || name === undefined || data === undefined) {
      continue;
    }
    // oxlint-disable no-await-in-loop -- few, and mostly in one kept block
    const named = await contentOf(window, name, 0, ITUNES_BYTES_MAX);
    if (textAt(named, 4, 8) === "iTunSMPB") {
      const content = await contentOf(window, data, 0, ITUNES_BYTES_MAX);
      // oxlint-enable no-await-in-loop
      const fields = textAt(content, 8, content.byteLength).trim().split(/\s+/);
      const [, delay = Number.NaN, padding = Number.NaN, frames = Number.NaN] = fields.map(
        (field) => Number.parseInt(field, 16),
      );
      const isWhole = delay >= 0 && padding >= 0 && frames > 0;
      return isWhole ? { skip: delay, frames } : null;
    }
  }
  return null;
}

function longAt(view: DataView, at: number): number {
  return view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4);
}

function signedLongAt(view: DataView, at: number): number {
  return view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4);
}
