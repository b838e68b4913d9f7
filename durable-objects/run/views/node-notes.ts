/** Notes of enumerators about the rows that they read, in the metadata of a run. */
import { mergeNotes, type ReadingNotes } from "../../../src/contracts/reading-notes.ts";
import type { Commit } from "../../../src/engine/drive/run-rows.ts";
import type { MetaValue } from "../state/state-text.ts";

interface MetadataReader {
  getMetadata(name: string): MetaValue | undefined;
}

interface Metadata extends MetadataReader {
  putMetadata(name: string, value: MetaValue): void;
}

/** Returns the notes of a node; undefined if none needs a warning. */
export function notesOf(rows: MetadataReader, node: number): ReadingNotes | undefined {
  const kept = rows.getMetadata(keyOf(node));
  return kept === undefined ? undefined : (JSON.parse(String(kept)) as ReadingNotes);
}

/** Adds the notes of a commit to those of their nodes. */
export function keepNotes(rows: Metadata, entries: NonNullable<Commit["notes"]>): void {
  for (const { node, notes } of entries) {
    rows.putMetadata(keyOf(node), JSON.stringify(mergeNotes(notesOf(rows, node), notes)));
  }
}

function keyOf(node: number): string {
  return `notes.${node}`;
}
