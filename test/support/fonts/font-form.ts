import { type FontSpec, makeFont } from "./make-font.ts";

export interface FontFormSpec {
  /** Undefined leaves a field out. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  /** A spec makes a font; bytes are sent as they are. */
  readonly files?: readonly (FontSpec | Uint8Array<ArrayBuffer>)[];
  /** Of the files, in their order; `font.ttf` where there is none. */
  readonly names?: readonly string[];
}

/** The form of an upload: a family "Test Sans" of one regular file where nothing else is said. */
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
