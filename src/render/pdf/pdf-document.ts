import { createHash } from "node:crypto";
import type { DisplayPicture, GradientPaint } from "../../templates/display-list.ts";
import type { PDFObject } from "pdf-lib";
import { FontEmbedder } from "./font-embedder.ts";
import { shadingOf, type StopValue } from "./gradient.ts";
import { ObjectWriter, type Ref } from "./object-writer.ts";
import type { PdfArtwork, PdfMode, PdfResources } from "./pdf-resources.ts";
import type { PreparedPicture } from "./pictures/prepared-picture.ts";
import { writePicture } from "./pictures/write-picture.ts";
import { writeProfile, type OutputProfile } from "./output-profile.ts";

/** A picture in the file. */
export interface EmbeddedPicture {
  readonly name: string;
  readonly ref: Ref;
  readonly orientation: PreparedPicture["facts"]["orientation"];
}

/** An object that several pages may use. */
export interface SharedObject {
  readonly ref: Ref;
  /** Whether it needs to be composed with what lies below. */
  readonly hasTransparency?: boolean;
}

type NamedObject = SharedObject & { readonly name: string };

/** What pages of one document share: its objects, and what is embedded once. */
export class PdfDocument {
  readonly objects: ObjectWriter;
  readonly profile: OutputProfile | undefined;
  readonly #resources: PdfResources;
  readonly #fonts = new Map<string, FontEmbedder>();
  readonly #pictures = new Map<string, EmbeddedPicture>();
  readonly #artworks = new Map<string, PdfArtwork>();
  /** By their hashes. */
  readonly #profiles = new Map<string, Ref>();
  readonly #shared = new Map<string, NamedObject>();
  #forms = 0;

  constructor(resources: PdfResources, mode: PdfMode) {
    this.#resources = resources;
    this.objects = new ObjectWriter(mode.kind === "pdfx4" ? "1.6" : "1.7");
    this.profile = mode.kind === "pdfx4" ? writeProfile(this.objects, mode) : undefined;
  }

  /** The color space in which groups are composed. */
  get groupColorSpace(): string {
    return this.profile?.deviceSpace ?? "DeviceRGB";
  }

  /** The color space of masks: device gray, unless the output intent does not define it. */
  get maskColorSpace(): "DeviceRGB" | "DeviceGray" {
    return this.profile?.deviceSpace === "DeviceRGB" ? "DeviceRGB" : "DeviceGray";
  }

  font(key: string): FontEmbedder {
    let font = this.#fonts.get(key);
    if (font === undefined) {
      const name = `F${this.#fonts.size + 1}`;
      font = new FontEmbedder(name, () => this.objects.reserve(), this.#resources.face(key));
      this.#fonts.set(key, font);
    }
    return font;
  }

  /** Reads and writes a picture, unless that was done, and yields what was written so far. */
  async *embedPicture({ picture: key }: DisplayPicture): AsyncGenerator<readonly Uint8Array[]> {
    if (!this.#pictures.has(key)) {
      try {
        const prepared = await this.#resources.picture(key);
        const { orientation } = prepared.facts;
        const ref = writePicture(this.objects, prepared, this.profile, (profile, count) =>
          this.#profileRef(profile, count),
        );
        this.#pictures.set(key, { name: `I${this.#pictures.size + 1}`, ref, orientation });
        yield this.objects.take();
      } finally {
        await this.#resources.endPicture?.(key);
      }
    }
  }

  /** Pictures of one camera have the same profile. */
  #profileRef(profile: Uint8Array, components: number): Ref {
    const key = createHash("sha256").update(profile).digest("hex");
    let ref = this.#profiles.get(key);
    if (ref === undefined) {
      ref = this.objects.addDeflated({ N: components }, profile);
      this.#profiles.set(key, ref);
    }
    return ref;
  }

  /** A picture that was embedded. */
  picture(key: string): EmbeddedPicture {
    const picture = this.#pictures.get(key);
    if (picture === undefined) {
      throw new Error(`The picture ${key} was not embedded.`);
    }
    return picture;
  }

  async loadArtwork(key: string): Promise<void> {
    if (!this.#artworks.has(key)) {
      this.#artworks.set(key, await this.#resources.artwork(key));
    }
  }

  /** Forgets the drawings of a page: another one that shows them asks for them again. */
  endPage(): void {
    this.#artworks.clear();
  }

  /** A drawing that was loaded. */
  artwork(key: string): PdfArtwork {
    const artwork = this.#artworks.get(key);
    if (artwork === undefined) {
      throw new Error(`The drawing ${key} was not loaded.`);
    }
    return artwork;
  }

  /** An object that is written once, by what it is made from. */
  share(key: string, prefix: string, write: () => SharedObject): NamedObject {
    let shared = this.#shared.get(key);
    if (shared === undefined) {
      shared = { ...write(), name: `${prefix}${this.#shared.size + 1}` };
      this.#shared.set(key, shared);
    }
    return shared;
  }

  /** The same for an object that is made already. */
  shareObject(prefix: string, object: PDFObject): NamedObject {
    return this.share(object.toString(), prefix, () => ({ ref: this.objects.add(object) }));
  }

  shading(gradient: GradientPaint, value: StopValue): NamedObject {
    const space = value === "color" ? "DeviceRGB" : this.maskColorSpace;
    return this.shareObject("S", shadingOf(gradient, value, space));
  }

  /** A name for a form that is used in one place. */
  nextFormName(): string {
    return `X${++this.#forms}`;
  }

  writeFonts(): void {
    for (const font of this.#fonts.values()) {
      font.write(this.objects);
    }
  }
}
