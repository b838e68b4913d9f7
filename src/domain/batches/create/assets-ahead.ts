import { STORAGE_SCHEME } from "../../../contracts/files/bundle-manifest.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { AssetStore } from "../../../storage/d1/asset-store.ts";
import type { FindAsset } from "../../assets/open-asset.ts";

/** Assets that are looked up in one statement, and those that are kept. */
const [LOOKED_UP, KEPT] = [100, 1_000] as const;

/** Paths that an item and the next ones name. A path that is missing only takes a statement of its own. */
export type PathsAhead = () => Iterable<string>;

/**
 * Assets of a batch's items. Items are checked one after another, and a statement for each would take milliseconds: the paths that
 * the next items name are looked up with the present one.
 */
export class AssetsAhead {
  readonly #store: AssetStore;
  /** The last used ones last. */
  readonly #known = new Map<string, Awaited<ReturnType<FindAsset>>>();
  #looking: Promise<void> | undefined;

  constructor(ctx: Pick<CallerContext, "env" | "principal">) {
    this.#store = new AssetStore(ctx.env, ctx.principal.workspaceId);
  }

  /** The look-up of an item's assets. */
  finder(ahead: PathsAhead): FindAsset {
    return async (path) => {
      // The assets of one item are looked up at the same time.
      while (!this.#known.has(path)) {
        this.#looking ??= this.#lookUp(path, ahead).finally(() => {
          this.#looking = undefined;
        });
        await this.#looking;
      }
      const found = this.#known.get(path);
      this.#known.delete(path);
      this.#known.set(path, found);
      return found;
    };
  }

  async #lookUp(path: string, ahead: PathsAhead): Promise<void> {
    const paths = new Set([path]);
    for (const next of ahead()) {
      if (paths.size === LOOKED_UP) {
        break;
      }
      paths.add(next.startsWith(STORAGE_SCHEME) ? next.slice(STORAGE_SCHEME.length) : next);
    }
    const found = await this.#store.findMany([...paths]);
    for (const each of paths) {
      this.#known.set(each, found.get(each));
    }
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KEPT) {
        break;
      }
      this.#known.delete(oldest);
    }
  }
}

/** Paths of assets in the inputs of an item. */
export function* assetPathsOf(inputs: Readonly<Record<string, unknown>>): Iterable<string> {
  for (const entry of Object.values(inputs)) {
    const path =
      typeof entry === "object" && entry !== null && "asset_path" in entry && entry.asset_path;
    if (typeof path === "string") {
      yield path;
    }
  }
}
