const MB = 1024 * 1024;
/** Of finished renders whose callers have not read them: beyond it no render begins. */
export const UNREAD_BYTES_MAX = 2 * MB;
/** A caller that reads nothing for this time gets no more: others wait for its memory. */
const SILENT_MS = 60_000;

/** The files of a finished render that its caller has not read yet. */
export interface HeldResponse {
  /** False once it was given up. */
  readonly isHeld: boolean;
  /** Its caller has read so many bytes. */
  read(bytes: number): void;
  release(): void;
}

interface Held {
  bytes: number;
  aliveMs: number;
}

/**
 * Counts the files of finished renders in an isolate until their callers have read them. It holds numbers only and has no
 * timers, because a call may end without a sign.
 */
export class HeldResponses {
  readonly #held = new Set<Held>();

  /** Whether another render may begin. */
  hasRoom(nowMs: number): boolean {
    let bytes = 0;
    for (const held of this.#held) {
      if (nowMs - held.aliveMs > SILENT_MS) {
        this.#held.delete(held);
      } else {
        bytes += held.bytes;
      }
    }
    return bytes <= UNREAD_BYTES_MAX;
  }

  hold(bytes: number, nowMs: () => number): HeldResponse {
    const all = this.#held;
    const held: Held = { bytes, aliveMs: nowMs() };
    all.add(held);
    return {
      get isHeld() {
        return all.has(held);
      },
      read: (count) => {
        held.bytes -= count;
        held.aliveMs = nowMs();
      },
      release: () => {
        all.delete(held);
      },
    };
  }
}

/** Of this isolate. */
export const heldResponses = new HeldResponses();
