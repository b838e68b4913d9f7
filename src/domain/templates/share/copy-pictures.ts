import { STORAGE_SCHEME } from "../../../contracts/files/bundle-manifest.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { storedPathOf } from "../../../contracts/files/stored-path.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { AssetStore } from "../../../storage/d1/asset-store.ts";
import { getFile } from "../../../storage/r2/get-file.ts";
import { nameAsset } from "../../assets/name-asset.ts";
import { type OpenAsset, openAsset } from "../../assets/open-asset.ts";
import { storeHiddenAsset } from "../../assets/store-asset.ts";

const COPIES_AT_ONCE = 4;

interface Copy {
  readonly path: string;
  readonly key: string;
}

/** Copies of stored pictures in the caller's workspace, by their sources in the document that was shared. */
export class PictureCopies {
  readonly #ctx: CallerContext;
  readonly #owner: CallerContext;
  readonly #copies = new Map<string, Copy>();

  /** `ownerId` is the workspace whose pictures are copied: what it cannot read itself is not copied. */
  constructor(ctx: CallerContext, ownerId: string) {
    this.#ctx = ctx;
    this.#owner = { ...ctx, principal: { ...ctx.principal, workspaceId: ownerId } };
  }

  /** What a source is in the new document: the copy, or itself if nothing was copied. */
  sourceOf(source: string): string {
    const path = storedPathOf(source);
    const copy = path === undefined ? undefined : this.#copies.get(path);
    return copy === undefined ? source : STORAGE_SCHEME + copy.path;
  }

  /** Paths of the copies, which are hidden until the import makes them visible. */
  get paths(): readonly string[] {
    return [...this.#copies.values()].map(({ path }) => path);
  }

  /**
   * Copies the stored pictures among these sources, each once. A picture that is gone, or that no render would print
   * because of its size or type, is left out. Throws `quota_exceeded`.
   */
  async copy(sources: Iterable<string>): Promise<void> {
    const left = [...new Set([...sources].flatMap((source) => storedPathOf(source) ?? []))];
    const work = async () => {
      for (let path = left.pop(); path !== undefined; path = left.pop()) {
        const copy = await this.#copyOf(path);
        if (copy !== undefined) {
          this.#copies.set(path, copy);
        }
      }
    };
    // Every copy has ended when this method throws, so that `undo` finds all of them.
    const ended = await Promise.allSettled(Array.from({ length: COPIES_AT_ONCE }, work));
    const failed = ended.find((one) => one.status === "rejected");
    if (failed !== undefined) {
      throw failed.reason;
    }
  }

  /** Deletes the copies of an import that failed. What a crash leaves of them is swept like unfinished uploads. */
  async undo(): Promise<void> {
    const store = new AssetStore(this.#ctx.env, this.#ctx.principal.workspaceId);
    for (const { path, key } of this.#copies.values()) {
      // The bytes first: as long as the row is there, a sweep finds them.
      await this.#ctx.env.FILES.delete(key);
      await store.discard(path);
    }
  }

  async #copyOf(path: string): Promise<Copy | undefined> {
    const asset = await this.#find(path);
    if (asset === undefined || asset.size_bytes > LIMITS.render_picture.value) {
      return undefined;
    }
    const { file, size_bytes: sizeBytesHeld } = asset;
    const pieces =
      file.content === undefined
        ? (await getFile(this.#ctx.env.FILES, file))?.body
        : new Blob([file.content.bytes as Uint8Array<ArrayBuffer>]).stream();
    if (pieces === undefined) {
      return undefined;
    }
    const named = nameAsset(asset.name, "unsupported_type");
    return await storeHiddenAsset(this.#ctx, { named, pieces, sizeBytesHeld }, "invalid_content");
  }

  async #find(path: string): Promise<OpenAsset | undefined> {
    try {
      const asset = await openAsset(this.#owner, path);
      nameAsset(asset.name, "unsupported_type");
      return asset;
    } catch (error) {
      if (error instanceof AppError && error.status < 500) {
        return undefined;
      }
      throw error;
    }
  }
}
