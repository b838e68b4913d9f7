/** @jsxImportSource react */
/** The tile of a node type: its icon in the color of its category. */
import { memo } from "react";
import type { CatalogEntry } from "../core/ports.ts";
import { TypeIcon } from "./icons.tsx";

/** Gives a tile the catalog's color, for categories that the style sheet has no color for. */
export function colorTile(element: HTMLElement | null, entry: CatalogEntry | undefined): void {
  if (entry !== undefined && /^#[0-9a-f]{6}$/i.test(entry.color)) {
    element?.style.setProperty("--own", entry.color);
  }
}

export const Tile = memo(function Tile({
  entry,
  isSmall = false,
}: {
  entry: CatalogEntry | undefined;
  isSmall?: boolean;
}) {
  return (
    <span
      className={isSmall ? "tile tile-s" : "tile"}
      data-category={entry?.category ?? "unknown"}
      ref={(element) => {
        colorTile(element, entry);
      }}
    >
      <TypeIcon name={entry?.icon ?? ""} size={isSmall ? 12 : 14} />
    </span>
  );
});
