/** Writes a result's outputs to files: one file for a single output, a folder for a multiple one. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ResultGroup, ResultItem, RunResult } from "./run-workflow.ts";

export interface SavedOutputs {
  readonly pictures: number;
  /** A short summary of the saved files of a key. */
  describe(key: string): string;
}

/** Downloads files from their addresses. Throws if the response is an error or empty. */
export async function saveOutputs({ result }: RunResult, directory: string): Promise<SavedOutputs> {
  const notes = new Map<string, string>();
  let pictures = 0;
  for (const group of Object.values(result.by_key)) {
    const saved = await saveGroup(group, directory);
    pictures += saved.pictures;
    notes.set(group.key, saved.note);
  }
  return { pictures, describe: (key) => notes.get(key) ?? "" };
}

async function saveGroup(
  group: ResultGroup,
  directory: string,
): Promise<{ pictures: number; note: string }> {
  const isMultiple = group.cardinality === "multiple";
  if (isMultiple) {
    await mkdir(join(directory, group.key), { recursive: true });
  }
  let pictures = 0;
  let bytes = 0;
  let last = "";
  for (const [index, item] of group.items.entries()) {
    const body = await bodyOf(item);
    if (body === undefined) {
      continue;
    }
    const name = isMultiple
      ? join(group.key, `${String(index).padStart(4, "0")}${body.extension}`)
      : `${group.key}${body.extension}`;
    await writeFile(join(directory, name), body.bytes);
    pictures += body.isPicture ? 1 : 0;
    bytes += body.bytes.length;
    last = name;
  }
  return { pictures, note: note(group, last, bytes) };
}

function note(group: ResultGroup, file: string, bytes: number): string {
  const { value } = group;
  if (group.cardinality === "single" && (typeof value === "number" || typeof value === "boolean")) {
    return String(value);
  }
  const where = group.cardinality === "multiple" ? `${group.key}/` : file;
  return where === "" ? "" : `${where}, ${(bytes / 1000).toFixed(1)} kB`;
}

interface Body {
  readonly bytes: Uint8Array;
  readonly extension: string;
  readonly isPicture: boolean;
}

async function bodyOf(item: ResultItem): Promise<Body | undefined> {
  if (item.value !== undefined && item.value !== null) {
    const isText = typeof item.value === "string";
    const text = isText ? (item.value as string) : `${JSON.stringify(item.value, null, 2)}\n`;
    return { bytes: Buffer.from(text), extension: isText ? ".txt" : ".json", isPicture: false };
  }
  if (typeof item.url !== "string") {
    return undefined;
  }
  const response = await fetch(item.url);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (!response.ok || bytes.length === 0) {
    throw new Error(`${item.url} returned ${response.status} with ${bytes.length} bytes.`);
  }
  const type = response.headers.get("content-type") ?? "";
  const extension = EXTENSIONS.find(([prefix]) => type.startsWith(prefix))?.[1] ?? ".bin";
  return { bytes, extension, isPicture: type.startsWith("image/") };
}

const EXTENSIONS = [
  ["audio/wav", ".wav"],
  ["audio/mpeg", ".mp3"],
  ["video/mp4", ".mp4"],
  ["image/jpeg", ".jpg"],
  ["application/x-subrip", ".srt"],
  ["image/png", ".png"],
  ["image/svg+xml", ".svg"],
  ["application/json", ".json"],
  ["text/plain", ".txt"],
] as const;
