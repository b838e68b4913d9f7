import type { MediaSink } from "../media-sink.ts";
import { SEGMENTS_MAX, segmentsOf, writeOggPage } from "./ogg-page.ts";

/** One stream in a file, whose number therefore means nothing; a constant makes equal sounds equal files. */
const SERIAL = 1;

/** Writes the packets of one stream into pages of Ogg (RFC 3533). */
export class OggPacketWriter {
  readonly #sink: MediaSink;
  readonly #headers: readonly (readonly Uint8Array[])[];
  readonly #pageFrames: number;
  /** Of the page that is being filled; the last one is written at the end. */
  #packets: Uint8Array[] = [];
  #segments = 0;
  #frames = 0;
  #lastFrames = 0;
  /** Position at the start of that page. */
  #granule: number;
  #sequence = 0;

  /**
   * `headers`: the packets of each page before the sound. `pageFrames`: most frames of a page. `start`: position of the
   * first frame; below 0 if frames at the beginning are not presented.
   */
  constructor(
    sink: MediaSink,
    headers: readonly (readonly Uint8Array[])[],
    pageFrames: number,
    start = 0,
  ) {
    this.#sink = sink;
    this.#headers = headers;
    this.#pageFrames = pageFrames;
    this.#granule = start;
  }

  async add(data: Uint8Array, frames: number): Promise<void> {
    if (this.#sequence === 0) {
      await this.#writeHeaders();
    }
    const segments = segmentsOf(data.byteLength);
    if (this.#segments + segments > SEGMENTS_MAX || this.#frames + frames > this.#pageFrames) {
      await this.#writePage(this.#granule + this.#frames, false);
    }
    this.#packets.push(data.slice());
    this.#segments += segments;
    this.#frames += frames;
    this.#lastFrames = frames;
  }

  /** Ends the stream at a position within its last packet. Throws Error for another one. */
  async end(granule: number): Promise<void> {
    const beyond = this.#granule + this.#frames - granule;
    if (beyond < 0 || (beyond > 0 && beyond >= this.#lastFrames)) {
      throw new Error("A stream of Ogg ends outside of its last packet.");
    }
    await this.#writePage(granule, true);
  }

  async #writeHeaders(): Promise<void> {
    const start = this.#granule;
    for (const packets of this.#headers) {
      this.#packets = [...packets];
      // oxlint-disable-next-line no-await-in-loop -- page after page
      await this.#writePage(0, false);
    }
    this.#granule = start;
  }

  async #writePage(granule: number, isLast: boolean): Promise<void> {
    const packets = this.#packets;
    if (packets.length === 0) {
      return;
    }
    const page = writeOggPage({
      packets,
      granule,
      sequence: this.#sequence,
      serial: SERIAL,
      isFirst: this.#sequence === 0,
      isLast,
    });
    this.#sequence++;
    this.#granule = granule;
    this.#packets = [];
    this.#segments = 0;
    this.#frames = 0;
    await this.#sink.append(page);
  }
}
