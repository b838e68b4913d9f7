import { type FontSpec, makeFont } from "./make-font.ts";

export interface FontFormSpec {
  /** Undefined omits a field. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  /** A spec generates a font; bytes are sent unchanged. */
  readonly files?: readonly (FontSpec | Uint8Array<ArrayBuffer>)[];
  /** File names, in order; `font.ttf` if omitted. */
  readonly names?: readonly string[];
}

/** The form of an upload; by default a family "Test Sans" with one regular file. */
export function fontForm({ fields = {}, files = [{}], names = [] }: FontFormSpec = {}): FormData {
  const form = new FormData();
  const all = {
    displayName: "Test Sans",
    category: "sans-serif",
    licenseAcknowledged: "true",
    ...fields,
  };
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined) {
      form.append(name, value);
    }
  }
  for (const [i, file] of files.entries()) {
    const bytes = file instanceof Uint8Array ? file : makeFont(file);
    form.append("files", new File([bytes], names[i] ?? "font.ttf"));
  }
  return form;
}
