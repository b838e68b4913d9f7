import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { PageDrawer } from "../../render/pages/page-drawer.ts";
import type { ShapedFace } from "../../render/shaping/shaped-face.ts";
import type { Shaper } from "../../render/shaping/shaper.ts";

/** Of all instances of wasm that print, and of what is read beside them. */
const BYTES_MAX = LIMITS.render_instances.value;

/** Opens the files of faces again that were closed in the middle of a render. */
export type ReopenFaces = (faces: readonly ShapedFace[]) => Promise<void>;

/** Memory of work that uses no font. */
export interface RoomLease {
  /** Counts so many bytes more, for which PDFium, the subsetter and at last all fonts are dropped. */
  grow(bytes: number): void;
  shrink(bytes: number): void;
  /** Counts nothing any more, and opens the fonts again. */
  end(): Promise<void>;
}

/**
 * The memory that HarfBuzz, its subsetter, PDFium, and a picture or a document that is read share
 * (docs/decisions/memory-budget.md). Whatever is not needed at the time makes room for the rest.
 */
export class RenderRoom {
  readonly #shaper: Shaper;
  readonly #drawer: PageDrawer;
  /** Of all leases. */
  #leased = 0;

  constructor(parts: { readonly shaper: Shaper; readonly drawer: PageDrawer }) {
    this.#shaper = parts.shaper;
    this.#drawer = parts.drawer;
  }

  get bytes(): number {
    return this.#shaper.memoryBytes + this.#drawer.memoryBytes + this.#leased;
  }

  /** Whether the fonts may take so many bytes more. They are used while no page is drawn: PDFium makes room for them. */
  readonly hasRoom = (bytes: number): boolean => {
    if (!this.#fits(bytes)) {
      this.#drawer.drop();
    }
    return this.#fits(bytes);
  };

  lease(reopen: ReopenFaces): RoomLease {
    let held = 0;
    let closed: ShapedFace[] = [];
    const shrink = (bytes: number) => {
      const given = Math.min(bytes, held);
      held -= given;
      this.#leased -= given;
    };
    return {
      grow: (bytes) => {
        if (!this.hasRoom(bytes)) {
          this.#shaper.dropSubsetter();
        }
        if (!this.#fits(bytes)) {
          closed = [...closed, ...this.#shaper.close()];
        }
        held += bytes;
        this.#leased += bytes;
      },
      shrink,
      end: async () => {
        shrink(held);
        const faces = closed;
        closed = [];
        await reopen(faces);
      },
    };
  }

  #fits(bytes: number): boolean {
    return this.bytes + bytes <= BYTES_MAX;
  }
}
