import type { PdfOptions, PdfResources } from "../../../src/render/pdf/pdf-resources.ts";
import type { DisplayItem, DisplayPage, Path } from "../../../src/templates/display-list.ts";

export const PLAIN_OPTIONS: PdfOptions = {
  metadata: { title: "Price list (été)", author: "A. Author", subject: "", keywords: ["a", "b"] },
  origin: { template: "tpl_1", revision: 3, contentHash: `sha256:${"0".repeat(64)}` },
  id: Uint8Array.from({ length: 32 }, (_, i) => i * 7),
  mode: { kind: "standard" },
};

/** Resources of pages that show neither text nor pictures. */
export const NO_RESOURCES: PdfResources = {
  face: missing,
  picture: missing,
  artwork: missing,
};

function missing(key: string): never {
  throw new Error(`There is no resource ${key}.`);
}

export function pageOf(
  items: readonly DisplayItem[],
  change: Partial<DisplayPage> = {},
): DisplayPage {
  return {
    pageId: "p",
    pageNumber: 1,
    label: "1",
    width: 200,
    height: 100,
    items,
    links: [],
    ...change,
  };
}

export function rectangle(x: number, y: number, width: number, height: number): Path {
  return {
    segments: [
      ["M", x, y],
      ["L", x + width, y],
      ["L", x + width, y + height],
      ["L", x, y + height],
      ["Z"],
    ],
  };
}

export async function joined(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) {
    all.push(piece);
  }
  return Buffer.concat(all);
}
