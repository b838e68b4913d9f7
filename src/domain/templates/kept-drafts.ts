import { type JsonValue } from "../../lib/json/exact-json.ts";
import { WeightedCache } from "../../lib/memory/weighted-cache.ts";
import type { CallerContext } from "../../platform/context.ts";

/** Of all drafts that are kept; one of 1.3 MB takes 13 MB. */
const BYTES_MAX = 24 * 1024 * 1024;

/** A draft's document as it is stored. Nobody changes it: edits copy what they change. */
export interface KeptDraft {
  /** Of exactly this content: two notations of one document have different revisions. */
  readonly etag: string;
  readonly document: JsonValue;
  /** Bytes of its text. */
  readonly size: number;
  /** Its memory with the texts of its parts, estimated. */
  readonly bytes: number;
}

const drafts = new WeightedCache<KeptDraft>(BYTES_MAX, 1);

/** The draft that was last edited in this isolate, so that the next edit need neither fetch nor parse it. */
export function keptDraft(ctx: CallerContext, id: string): KeptDraft | undefined {
  return drafts.get(keyOf(ctx, id));
}

export function keepDraft(ctx: CallerContext, id: string, draft: KeptDraft): void {
  drafts.set(keyOf(ctx, id), draft, draft.bytes);
}

function keyOf({ principal }: CallerContext, id: string): string {
  return `${principal.workspaceId} ${id}`;
}
