import type { TemplateRecord } from "../../contracts/templates/template-object-api.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { draftEtag } from "../../lib/http/draft-etag.ts";
import type { CallerContext } from "../../platform/context.ts";
import { parseContent } from "./change-draft.ts";
import { readDraft } from "./read-content.ts";
import { badCursor } from "../list-page.ts";

type SampleSet = { readonly [member: string]: JsonValue };

/** The draft that the sample sets were read from. */
interface ReadDraft {
  readonly record: TemplateRecord;
  readonly content: Uint8Array;
  readonly etag: string;
}

/** The sample sets of a draft, in their order, and its ETag. Throws `not_found`, `forbidden`. */
export async function readSampleSets(
  ctx: CallerContext,
  id: string,
): Promise<ReadDraft & { readonly sets: readonly SampleSet[] }> {
  const { record, content: stored } = await readDraft(ctx, id, null);
  const content = stored ?? new Uint8Array();
  const document = await parseContent(ctx, content);
  const sets = isJsonObject(document) ? document["sampleSets"] : undefined;
  return {
    record,
    content,
    etag: draftEtag(record),
    sets: (Array.isArray(sets) ? (sets as readonly JsonValue[]) : []).filter((set) =>
      isJsonObject(set),
    ),
  };
}

/** One of them. Throws `sample_set_not_found`. */
export async function readSampleSet(
  ctx: CallerContext,
  id: string,
  setId: string,
): Promise<ReadDraft & { readonly set: SampleSet }> {
  const { sets, ...draft } = await readSampleSets(ctx, id);
  const set = sets.find((one) => idOf(one) === setId);
  if (set === undefined) {
    throw new AppError("sample_set_not_found", `The draft has no sample set with the id ${setId}.`);
  }
  return { ...draft, set };
}

/** A page of them; the cursor is an id. Throws `invalid_request` for an unknown cursor. */
export async function listSampleSets(
  ctx: CallerContext,
  id: string,
  given: { readonly limit: number; readonly startingAfter: string | undefined },
) {
  const { etag, sets } = await readSampleSets(ctx, id);
  const after = given.startingAfter?.toLowerCase();
  const from = after === undefined ? 0 : sets.findIndex((set) => idOf(set) === after) + 1;
  if (after !== undefined && from === 0) {
    throw badCursor(after, "a sample set of the draft");
  }
  const page = sets.slice(from, from + given.limit);
  const hasMore = from + page.length < sets.length;
  const last = page.at(-1);
  return {
    etag,
    list: {
      data: page,
      has_more: hasMore,
      next_cursor: hasMore && typeof last?.["id"] === "string" ? last["id"] : null,
      total_count: sets.length,
    },
  };
}

function idOf(set: SampleSet): string {
  const { id } = set;
  return typeof id === "string" ? id.toLowerCase() : "";
}
