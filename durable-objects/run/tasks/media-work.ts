/** What the tasks of nodes of video have read and stored, for the run's trace (docs/contract/trace.md#report). */
import type { TaskReport } from "../../../src/contracts/runs/task.ts";
import type { MediaProcessing } from "../../../src/contracts/runs/trace.ts";
import { categoryOf } from "../../../src/lib/node-category.ts";
import type { RunStore } from "../state/run-store.ts";

/** The node that counts subtitles, also where it had no element. */
const CAPTIONED = "video/add_subtitles";

/** The sums over the elements of a completed node; undefined for a node of another category. */
export function mediaProcessingOf(
  store: Pick<RunStore, "getMetadata">,
  { index, typeName }: { readonly index: number; readonly typeName: string },
): MediaProcessing | undefined {
  if (categoryOf(typeName) !== "video") {
    return undefined;
  }
  const kept = keptOf(store, index);
  return typeName === CAPTIONED ? { ...kept, caption_count: kept.caption_count ?? 0 } : kept;
}

/** Adds the work of a successful report, which is written with the commit that takes the result. */
export function addMediaWork(
  store: RunStore,
  node: number,
  {
    media,
    outcome,
    duration_ms: durationMs,
  }: Pick<TaskReport, "media" | "outcome" | "duration_ms">,
): void {
  if (media !== undefined && outcome.kind === "ok") {
    const elapsed = Number.isFinite(durationMs) ? Math.max(0, Math.round(durationMs)) : 0;
    const sum = added(keptOf(store, node), { ...media, elapsed_ms: elapsed });
    store.noteMetadata(keyOf(node), JSON.stringify(sum));
  }
}

/** Adds up two pieces of work; `faststart` only if every movie of both has it. Pure. */
export function added(before: MediaProcessing, more: MediaProcessing): MediaProcessing {
  return {
    source_bytes: before.source_bytes + more.source_bytes,
    output_bytes: before.output_bytes + more.output_bytes,
    elapsed_ms: before.elapsed_ms + more.elapsed_ms,
    caption_count:
      before.caption_count === null && more.caption_count === null
        ? null
        : (before.caption_count ?? 0) + (more.caption_count ?? 0),
    faststart:
      before.faststart === null || more.faststart === null
        ? (before.faststart ?? more.faststart)
        : before.faststart && more.faststart,
  };
}

const NOTHING: MediaProcessing = {
  source_bytes: 0,
  output_bytes: 0,
  elapsed_ms: 0,
  caption_count: null,
  faststart: null,
};

function keptOf(store: Pick<RunStore, "getMetadata">, node: number): MediaProcessing {
  const kept = store.getMetadata(keyOf(node));
  return kept === undefined ? NOTHING : (JSON.parse(String(kept)) as MediaProcessing);
}

function keyOf(node: number): string {
  return `media.${node}`;
}
