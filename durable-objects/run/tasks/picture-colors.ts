/** How a node's tasks have converted the colors of pictures, for the run's trace (docs/contract/trace.md#report). */
import type { PictureColorCounts, TaskReport } from "../../../src/contracts/runs/task.ts";
import type { RunStore } from "../state/run-store.ts";

/** Undefined if the node has read no picture in other colors than sRGB. */
export function pictureColorsOf(
  store: Pick<RunStore, "getMetadata">,
  node: number,
): PictureColorCounts | undefined {
  const kept = store.getMetadata(keyOf(node));
  return kept === undefined ? undefined : (JSON.parse(String(kept)) as PictureColorCounts);
}

/** Adds the pictures of a successful report, which are written with the commit that takes the result. */
export function addPictureColors(
  store: RunStore,
  node: number,
  { picture_colors: more, outcome }: Pick<TaskReport, "picture_colors" | "outcome">,
): void {
  if (more !== undefined && outcome.kind === "ok") {
    const before = pictureColorsOf(store, node);
    const sum: PictureColorCounts = {
      by_profile: (before?.by_profile ?? 0) + more.by_profile,
      without_profile: (before?.without_profile ?? 0) + more.without_profile,
      profile_not_applied: (before?.profile_not_applied ?? 0) + more.profile_not_applied,
    };
    store.noteMetadata(keyOf(node), JSON.stringify(sum));
  }
}

function keyOf(node: number): string {
  return `colors.${node}`;
}
