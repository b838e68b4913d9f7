import type { FontReference } from "../../../contracts/files/font.ts";
import type { FontPin } from "../../../contracts/templates/renderer.ts";
import { foldCase } from "../../../lib/fold-case.ts";
import type { CallerContext } from "../../../platform/context.ts";
import type { FontFamilyRow } from "../../../storage/d1/font-rows.ts";
import { FontStore } from "../../../storage/d1/font-store.ts";
import { type CopiedFamily, copyFontFamily } from "../../fonts/copy-font-family.ts";

/** Copies of workspace fonts in the caller's workspace, by what the shared document names. */
export class FontCopies {
  readonly #ctx: CallerContext;
  readonly #owner: FontStore;
  readonly #pins: ReadonlyMap<string, FontPin>;
  /** By the revision of the family. */
  readonly #versions: ReadonlyMap<string, FontPin>;
  /** By revision of the owner's family; undefined if there is none. */
  readonly #revisions = new Map<string, CopiedFamily | undefined>();
  /** By folded name. */
  readonly #names = new Map<string, CopiedFamily>();

  /** `pins` are the families that the revision prints with; none if it was published before they were pinned. */
  constructor(ctx: CallerContext, ownerId: string, pins: readonly FontPin[]) {
    this.#ctx = ctx;
    this.#owner = new FontStore(ctx.env, ownerId);
    this.#pins = new Map(pins.map((pin) => [foldCase(pin.name), pin]));
    this.#versions = new Map(pins.map((pin) => [pin.version_guid, pin]));
  }

  /** The name of the copy; the given one if nothing was copied. */
  nameOf(name: string): string {
    return this.#names.get(foldCase(name))?.displayName ?? name;
  }

  /** The copy's file; the given one if nothing was copied. */
  referenceOf(reference: FontReference): FontReference {
    const copy = this.#revisions.get(reference.versionGuid);
    const found = copy?.references.get(reference.variant);
    return found?.sha256 === reference.sha256 ? found : reference;
  }

  /**
   * Copies the families of the owner's workspace among these names and references, one after the other. Throws
   * `quota_exceeded`.
   */
  async copy(names: Iterable<string>, references: Iterable<FontReference>): Promise<void> {
    for (const name of new Set([...names].map(foldCase))) {
      const revision = await this.#revisionOf(name);
      const copy = revision && (await this.#copyOf(revision.familyGuid, revision.versionGuid));
      if (copy !== undefined) {
        this.#names.set(name, copy);
      }
    }
    for (const { familyGuid, versionGuid } of references) {
      await this.#copyOf(familyGuid, versionGuid);
    }
  }

  async #revisionOf(
    folded: string,
  ): Promise<{ readonly familyGuid: string; readonly versionGuid: string } | undefined> {
    const pin = this.#pins.get(folded);
    if (pin !== undefined) {
      return { familyGuid: pin.family_guid, versionGuid: pin.version_guid };
    }
    const family = this.#pins.size === 0 ? await this.#owner.findActive(folded) : undefined;
    return family && { familyGuid: family.id, versionGuid: family.version_id };
  }

  /** With the fallback that the revision prints with. */
  #asPinned(family: FontFamilyRow, versionGuid: string): FontFamilyRow {
    const pin = this.#versions.get(versionGuid);
    return pin === undefined ? family : { ...family, fallback_id: pin.fallback_guid };
  }

  /** Undefined for families of the service, and for what is not there. */
  async #copyOf(familyGuid: string, versionGuid: string): Promise<CopiedFamily | undefined> {
    if (!this.#revisions.has(versionGuid)) {
      const family = await this.#owner.find(familyGuid);
      const files = await this.#owner.filesOf([versionGuid]);
      this.#revisions.set(
        versionGuid,
        family === undefined || family === "elsewhere" || files.length === 0
          ? undefined
          : await copyFontFamily(this.#ctx, this.#asPinned(family, versionGuid), files),
      );
    }
    return this.#revisions.get(versionGuid);
  }
}
