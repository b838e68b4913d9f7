/** The result of a run as groups of a gallery, and as the entries that the host is told. */
import type { OutputConfig } from "./config.ts";
import type { Json } from "./values.ts";

/** The members of `GET …/result` that are read (docs/contract/results.md#items). */
export interface ResultView {
  readonly status: string;
  readonly result: { readonly by_key: Readonly<Record<string, ResultGroup>> };
}

export interface ResultGroup {
  readonly key: string;
  readonly cardinality: "single" | "multiple";
  readonly state: string;
  readonly items: readonly ResultItem[];
}

export interface ResultItem {
  readonly type: string;
  readonly delivery: string;
  readonly value?: Json | undefined;
  readonly url?: string | null | undefined;
  readonly thumbnail_url?: string | null | undefined;
  readonly content_type?: string | undefined;
  readonly size_bytes?: number | undefined;
  readonly error?: { readonly code: string } | null | undefined;
  readonly source: { readonly node_id: string };
  readonly input_indices: readonly number[];
}

/** An entry of `outputs` in `svc:execution:completed` (docs/embeds.md). */
export interface OutputEntry {
  readonly key: string;
  readonly name: string;
  readonly logical_name: string;
  readonly type: string;
  readonly presence: "present" | "absent";
  readonly value?: Json;
  readonly url?: string;
  readonly content_type?: string;
  readonly input_indices: readonly number[];
}

/** How an element of the gallery is shown. `failed` keeps the place of an element that was not made. */
export type ElementKind = "picture" | "film" | "sound" | "text" | "json" | "link" | "failed";

/** Why an element failed, as far as a person is told: codes and messages of the service name its nodes. */
export type FailedBy = "input" | "refused" | "late" | "other";

export interface GalleryElement {
  readonly kind: ElementKind;
  /** Of a failed element. */
  readonly failedBy: FailedBy;
  /** For people, and the name of its download. */
  readonly name: string;
  readonly url: string | null;
  readonly thumbnail: string | null;
  readonly sizeBytes: number | null;
  readonly value: Json;
  readonly indices: readonly number[];
}

export interface GalleryGroup {
  readonly key: string;
  readonly label: string;
  readonly isIterated: boolean;
  readonly elements: readonly GalleryElement[];
}

/** Groups in the order of the outputs; a result's other outputs follow. */
function orderedGroups(
  view: ResultView,
  outputs: readonly OutputConfig[],
): readonly (readonly [ResultGroup, OutputConfig | undefined])[] {
  const groups = Object.values(view.result.by_key);
  const declared = outputs.flatMap((output) => {
    const group = groups.find(({ key }) => key === output.key);
    return group === undefined ? [] : [[group, output] as const];
  });
  const others = groups.filter(({ key }) => !outputs.some((output) => output.key === key));
  return [...declared, ...others.map((group) => [group, undefined] as const)];
}

/** Index order: by axis, from the outside. */
function byIndices(a: ResultItem, b: ResultItem): number {
  const at = a.input_indices.findIndex((index, axis) => index !== b.input_indices[axis]);
  return at === -1 ? 0 : (a.input_indices[at] ?? 0) - (b.input_indices[at] ?? 0);
}

/** Returns what the host is told. Failed elements are left out; of a single output that failed, nothing is told. */
export function outputEntries(
  view: ResultView,
  outputs: readonly OutputConfig[],
): readonly OutputEntry[] {
  return orderedGroups(view, outputs).flatMap(([group, output]) =>
    [...group.items]
      .sort(byIndices)
      .filter(({ delivery }) => delivery !== "unavailable")
      .map((item): OutputEntry => {
        const isAbsent = item.delivery === "absent";
        const suffix = `_${item.input_indices.join("-")}_${item.source.node_id}`;
        return {
          key: group.key,
          name: group.cardinality === "single" ? group.key : group.key + suffix,
          logical_name: group.key,
          type: item.type ?? output?.type ?? "any",
          presence: isAbsent ? "absent" : "present",
          ...(isAbsent || item.delivery === "asset" || item.value === undefined
            ? {}
            : { value: item.value }),
          ...(isAbsent || typeof item.url !== "string" ? {} : { url: item.url }),
          ...(isAbsent || item.content_type === undefined
            ? {}
            : { content_type: item.content_type }),
          input_indices: item.input_indices,
        };
      }),
  );
}

/** Returns the groups of the gallery. Absent outputs and elements are left out. */
export function galleryGroups(
  view: ResultView,
  outputs: readonly OutputConfig[],
): readonly GalleryGroup[] {
  return orderedGroups(view, outputs).flatMap(([group, output]) => {
    const isIterated = group.cardinality === "multiple";
    const elements = [...group.items]
      .sort(byIndices)
      .filter(({ delivery }) => delivery !== "absent")
      .map((item, position) => elementOf(group.key, item, isIterated ? position : null));
    return elements.length === 0
      ? []
      : [{ key: group.key, label: output?.label ?? group.key, isIterated, elements }];
  });
}

function elementOf(key: string, item: ResultItem, position: number | null): GalleryElement {
  const url = safeAddress(item.url);
  const kind = kindOfElement(item, url);
  return {
    kind,
    failedBy: failedBy(item.error?.code ?? ""),
    name: nameOf(key, url, kind, position),
    url,
    thumbnail: safeAddress(item.thumbnail_url),
    sizeBytes: item.size_bytes ?? null,
    value: item.value ?? null,
    indices: item.input_indices,
  };
}

/** By the code of the first failure (docs/errors.md). */
function failedBy(code: string): FailedBy {
  if (/_REFUSED$|^PROVIDER_REJECTED$/.test(code)) {
    return "refused";
  }
  if (code.endsWith("_TIMEOUT")) {
    return "late";
  }
  return /^INVALID_|_INVALID$|UNSUPPORTED|_TOO_LARGE$/.test(code) ? "input" : "other";
}

const KIND_OF_CONTENT: Readonly<Record<string, ElementKind>> = {
  image: "picture",
  video: "film",
  audio: "sound",
};

function kindOfElement(item: ResultItem, url: string | null): ElementKind {
  if (item.delivery === "unavailable") {
    return "failed";
  }
  if (item.delivery === "inline" || item.delivery === "resolved_text") {
    return typeof item.value === "string" ? "text" : "json";
  }
  if (url === null) {
    return "failed";
  }
  const content = item.content_type?.split("/")[0] ?? item.type;
  return (Object.hasOwn(KIND_OF_CONTENT, content) ? KIND_OF_CONTENT[content] : undefined) ?? "link";
}

/** Returns an address that a page may follow: `http:` or `https:`; null for any other scheme. */
export function safeAddress(url: unknown): string | null {
  if (typeof url !== "string" || !URL.canParse(url)) {
    return null;
  }
  const { protocol } = new URL(url);
  return protocol === "https:" || protocol === "http:" ? url : null;
}

/** The file's own name, from its address; otherwise the output's key, numbered where it is iterated. */
function nameOf(
  key: string,
  url: string | null,
  kind: ElementKind,
  position: number | null,
): string {
  const last = url === null ? "" : (new URL(url).pathname.split("/").at(-1) ?? "");
  const decoded = decodeName(last);
  if (/\.[a-z\d]{1,5}$/i.test(decoded)) {
    return decoded;
  }
  const number = position === null ? "" : `-${String(position + 1)}`;
  return `${key}${number}${kind === "json" ? ".json" : kind === "text" ? ".txt" : ""}`;
}

function decodeName(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Elements of a group shown at first, and added by each "Show more". */
export const SHOWN_AT_ONCE = 60;
