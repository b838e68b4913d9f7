import { type ByteWindow, viewOf } from "../byte-window.ts";
import { PACKET_BYTES_MAX, PacketBudget } from "../media-caps.ts";
import { truncatedMedia, unreadableMedia } from "../media-error.ts";
import { type Box, contentOf, findBox, readInner } from "./box-tree.ts";
import type { Sample } from "./sample-table.ts";

/** Values of the samples of a track in fragments that state none (box `trex`). */
export interface FragmentDefaults {
  readonly duration: number;
  readonly size: number;
  readonly flags: number;
}

const NOT_KEY = 0x1_0000;
const RUN_BYTES_MAX = 32 * 1024 * 1024;

export async function readFragmentDefaults(
  window: ByteWindow,
  moov: readonly Box[],
): Promise<ReadonlyMap<number, FragmentDefaults>> {
  const defaults = new Map<number, FragmentDefaults>();
  for (const box of findBox(moov, "mvex")?.children ?? []) {
    if (box.type === "trex") {
      // oxlint-disable-next-line no-await-in-loop -- one for each track
      const view = viewOf(await contentOf(window, box, 24, 1_024));
      defaults.set(view.getUint32(4), {
        duration: view.getUint32(12),
        size: view.getUint32(16),
        flags: view.getUint32(20),
      });
    }
  }
  return defaults;
}

/** The samples of a track in the fragments of a file (ISO/IEC 14496-12, section 8.8), one fragment held at a time. */
export async function* fragmentSamples(
  window: ByteWindow,
  moofs: readonly Box[],
  track: number,
  defaults: FragmentDefaults,
): AsyncGenerator<Sample> {
  const budget = new PacketBudget();
  let [dts, total] = [0, 0];
  for (const moof of moofs) {
    // oxlint-disable-next-line no-await-in-loop -- one fragment after another
    const boxes = await readInner(window, moof);
    let dataEnd = moof.start;
    for (const traf of boxes) {
      if (traf.type !== "traf") {
        continue;
      }
      // oxlint-disable-next-line no-await-in-loop -- one track after another
      const fragment = await readHeader(window, traf, moof.start, dataEnd, defaults);
      if (fragment.time !== null && fragment.track === track) {
        dts = fragment.time;
      }
      let at = fragment.base;
      for (const trun of traf.children) {
        if (trun.type !== "trun") {
          continue;
        }
        // oxlint-disable-next-line no-await-in-loop -- one run after another
        const view = viewOf(await contentOf(window, trun, 8, RUN_BYTES_MAX));
        const run = readRun(view, fragment, at);
        if (fragment.track !== track) {
          // Nothing bounds its count, so only its end is computed.
          at = run.end();
          continue;
        }
        budget.add(run.count);
        for (const sample of run.samples(dts)) {
          at = sample.at + sample.bytes;
          checkSample(sample, window.sizeBytes);
          total += sample.bytes;
          if (total > window.sizeBytes) {
            throw unreadableMedia("has fragments whose packets overlap. Export it again.");
          }
          dts = sample.dts + sample.duration;
          yield sample;
        }
      }
      dataEnd = at;
    }
  }
}

function checkSample({ at, bytes }: Sample, sizeBytes: number): void {
  if (bytes > PACKET_BYTES_MAX || at < 0) {
    throw unreadableMedia("has a fragment with an impossible packet. Export it again.");
  }
  if (at + bytes > sizeBytes) {
    throw truncatedMedia(`ends before its packet at byte ${at}.`);
  }
}

interface FragmentHeader extends FragmentDefaults {
  readonly track: number;
  /** Position from which the offsets of runs count. */
  readonly base: number;
  readonly time: number | null;
}

async function readHeader(
  window: ByteWindow,
  traf: Box,
  moofStart: number,
  dataEnd: number,
  defaults: FragmentDefaults,
): Promise<FragmentHeader> {
  const tfhd = findBox(traf.children, "tfhd");
  if (tfhd === undefined) {
    throw unreadableMedia('has a fragment without a box "tfhd". Export it again.');
  }
  const view = viewOf(await contentOf(window, tfhd, 8, 64));
  const flags = view.getUint32(0) & 0xff_ffff;
  let at = 8;
  const field = (bit: number, fallback: number) => {
    if ((flags & bit) === 0) {
      return fallback;
    }
    at += 4;
    return at <= view.byteLength ? view.getUint32(at - 4) : fallback;
  };
  const high = field(0x1, Number.NaN);
  const low = (flags & 0x1) === 0 ? 0 : view.getUint32((at += 4) - 4);
  // Without an own position the runs follow the box `moof`, or, in old files, the data of the track before.
  const base = Number.isNaN(high)
    ? (flags & 0x2_0000) !== 0
      ? moofStart
      : dataEnd
    : high * 2 ** 32 + low;
  field(0x2, 0);
  const duration = field(0x8, defaults.duration);
  const size = field(0x10, defaults.size);
  const sampleFlags = field(0x20, defaults.flags);
  const tfdt = findBox(traf.children, "tfdt");
  const time = tfdt === undefined ? null : timeOf(viewOf(await contentOf(window, tfdt, 8, 64)));
  return { track: view.getUint32(4), base, time, duration, size, flags: sampleFlags };
}

function timeOf(view: DataView): number {
  const isLong = view.getUint8(0) === 1 && view.byteLength >= 12;
  return isLong ? view.getUint32(4) * 2 ** 32 + view.getUint32(8) : view.getUint32(4);
}

/** A run of samples (box `trun`) whose data begin at `next` if it states no place. */
function readRun(view: DataView, header: FragmentHeader, next: number) {
  const flags = view.getUint32(0) & 0xff_ffff;
  const count = view.getUint32(4);
  const has = (bit: number) => (flags & bit) !== 0;
  const headBytes = 8 + (has(0x1) ? 4 : 0) + (has(0x4) ? 4 : 0);
  const fields = [0x100, 0x200, 0x400, 0x800].filter(has).length;
  if (headBytes + count * fields * 4 > view.byteLength) {
    throw unreadableMedia(
      `has a fragment of ${count} packets, which does not hold them. Export it again.`,
    );
  }
  const start = has(0x1) ? header.base + view.getInt32(8) : next;
  const firstFlags = has(0x4) ? view.getUint32(headBytes - 4) : undefined;
  return {
    count,
    /** Where its data end: from the sizes that the box holds, or from the number of samples. */
    end(): number {
      if (count === 0 || !has(0x200)) {
        return count === 0 ? next : start + count * header.size;
      }
      let end = start;
      const first = headBytes + (has(0x100) ? 4 : 0);
      for (let i = 0, at = first; i < count; i++, at += fields * 4) {
        end += view.getUint32(at);
      }
      return end;
    },
    *samples(time: number): Generator<Sample> {
      let at = start;
      let dts = time;
      let field = headBytes;
      const take = (bit: number, fallback: number) => {
        field += has(bit) ? 4 : 0;
        return has(bit) ? view.getUint32(field - 4) : fallback;
      };
      for (let i = 0; i < count; i++) {
        const duration = take(0x100, header.duration);
        const bytes = take(0x200, header.size);
        const own = take(0x400, i === 0 ? (firstFlags ?? header.flags) : header.flags);
        // Negative in version 1, and in many files of version 0.
        const shift = take(0x800, 0) | 0;
        yield { at, bytes, dts, pts: dts + shift, duration, isKey: (own & NOT_KEY) === 0 };
        at += bytes;
        dts += duration;
      }
    },
  };
}
