import { type HeaderWindow, tagAt } from "./header-window.ts";
import { checkedMetadata, type ReadMetadata, UnreadableSoundFile } from "./sound-metadata.ts";

const BOXES_MAX = 2_000;

interface Box {
  readonly type: string;
  /** Of its content. */
  readonly from: number;
  readonly to: number;
}

/** The duration of the first track of sound in an MP4 file (ISO/IEC 14496-12), as its edit list shows it. */
export async function readM4a(file: HeaderWindow): Promise<ReadMetadata> {
  const boxes = new Boxes(file);
  const movie = await boxes.only({ from: 0, to: file.sizeBytes }, "moov");
  const movieRate = (await readTimes(boxes, await boxes.only(movie, "mvhd"))).rate;
  for await (const track of boxes.all(movie, "trak")) {
    const media = await boxes.only(track, "mdia");
    const handler = await boxes.content(await boxes.only(media, "hdlr"), 12);
    if (tagAt(handler, 8) === "soun") {
      const { rate, duration } = await readTimes(boxes, await boxes.only(media, "mdhd"));
      const shown = await shownSeconds(boxes, track, movieRate);
      const seconds = shown ?? duration / rate;
      if (seconds === 0) {
        throw new UnreadableSoundFile(
          "is in fragments without a length. Encode it again into a file.",
        );
      }
      const { sampleRate: stated, channels } = await sampleFormat(boxes, media);
      // A rate from 65,536 Hz on does not fit its field; the track counts time in samples then.
      const sampleRate = stated === 0 ? rate : stated;
      return checkedMetadata(seconds * sampleRate, sampleRate, channels);
    }
  }
  throw new UnreadableSoundFile("has no track of sound.");
}

/** Rate and duration of a movie's or track's header, in its two versions. */
async function readTimes(
  boxes: Boxes,
  header: Box,
): Promise<{ readonly rate: number; readonly duration: number }> {
  let view = await boxes.content(header, 20);
  if (view.getUint8(0) === 1) {
    view = await boxes.content(header, 32);
    return {
      rate: view.getUint32(20),
      duration: view.getUint32(24) * 2 ** 32 + view.getUint32(28),
    };
  }
  return { rate: view.getUint32(12), duration: view.getUint32(16) };
}

/** The parts of the track that are played, which leave out what an encoder adds; undefined without an edit list. */
async function shownSeconds(
  boxes: Boxes,
  track: Box,
  movieRate: number,
): Promise<number | undefined> {
  const edits = await boxes.find(track, "edts");
  const list = edits && (await boxes.find(edits, "elst"));
  if (list === undefined) {
    return undefined;
  }
  const head = await boxes.content(list, 8);
  const isLong = head.getUint8(0) === 1;
  const count = head.getUint32(4);
  const entryBytes = isLong ? 20 : 12;
  if (count === 0 || count > BOXES_MAX || list.from + 8 + count * entryBytes > list.to) {
    return undefined;
  }
  let played = 0;
  const entries = await boxes.content({ ...list, from: list.from + 8 }, count * entryBytes);
  for (let i = 0; i < count; i++) {
    const at = i * entryBytes;
    const duration = isLong
      ? entries.getUint32(at) * 2 ** 32 + entries.getUint32(at + 4)
      : entries.getUint32(at);
    const start = entries.getInt32(at + (isLong ? 8 : 4));
    // A start of -1 is a pause.
    played += start < 0 ? 0 : duration;
  }
  return played === 0 ? undefined : played / movieRate;
}

/** Rate and channels of the first kind of samples. */
async function sampleFormat(boxes: Boxes, media: Box) {
  const information = await boxes.only(media, "minf");
  const table = await boxes.only(information, "stbl");
  const description = await boxes.only(table, "stsd");
  // Eight bytes of version and count, the entry's size and name, and its fields for sound.
  const entry = await boxes.content(description, 8 + 8 + 28);
  return { channels: entry.getUint16(8 + 8 + 16), sampleRate: entry.getUint16(8 + 8 + 24) };
}

/** Boxes within boxes, with a limit for all of them together. */
class Boxes {
  readonly #file: HeaderWindow;
  #count = 0;

  constructor(file: HeaderWindow) {
    this.#file = file;
  }

  async *all({ from, to }: Pick<Box, "from" | "to">, type: string): AsyncGenerator<Box> {
    for (let at = from; at + 8 <= to;) {
      if (++this.#count > BOXES_MAX) {
        throw new UnreadableSoundFile("has a header in too many parts.");
      }
      // oxlint-disable-next-line no-await-in-loop -- where a box begins follows from the one before
      const head = await this.#file.upTo(at, 16);
      const short = head.byteLength < 8 ? 0 : head.getUint32(0);
      const isLong = short === 1 && head.byteLength === 16;
      // A size of 0 reaches to the end.
      const size = isLong
        ? head.getUint32(8) * 2 ** 32 + head.getUint32(12)
        : short === 0
          ? to - at
          : short;
      if (size < (isLong ? 16 : 8) || at + size > to) {
        throw new UnreadableSoundFile("is damaged, or ends before its header does.");
      }
      if (tagAt(head, 4) === type) {
        yield { type, from: at + (isLong ? 16 : 8), to: at + size };
      }
      at += size;
    }
  }

  async find(within: Pick<Box, "from" | "to">, type: string): Promise<Box | undefined> {
    for await (const box of this.all(within, type)) {
      return box;
    }
    return undefined;
  }

  async only(within: Pick<Box, "from" | "to">, type: string): Promise<Box> {
    const found = await this.find(within, type);
    if (found === undefined) {
      throw new UnreadableSoundFile(`has no box "${type}", which says how long it is.`);
    }
    return found;
  }

  /** The first bytes of a box. */
  async content({ from, to }: Box, length: number): Promise<DataView> {
    if (from + length > to) {
      throw new UnreadableSoundFile("has a box that is too short.");
    }
    return await this.#file.take(from, length);
  }
}
