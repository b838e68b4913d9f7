import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { plainLine } from "../plain-line.ts";
import { timestampField } from "../timestamp.ts";

/** The submitter's own name of a run or of a batch. */
export const clientReferenceField = plainLine(LIMITS.client_reference.value);

const members = {
  client_reference: z.string().describe("The reference that was sent with the submit"),
  batch: z.string().describe("Id of the batch that the run belongs to, `bat_…`"),
  batch_index: z.int().describe("Index of its item in the batch, from 0"),
  schedule: z.string().describe("Id of the schedule that started the run, `sch_…`"),
  scheduled_for: timestampField.describe("The nominal time of the schedule's firing"),
  retry_of: z.string().describe("Id of the run that this run retries"),
  retry_root: z.string().describe("Id of the first run in the chain of retries"),
  retry_from: z.string().describe("Where the retry began: `failure`, `start`, or the id of a node"),
};

/** Where a run came from: its submitter's reference, and the batch, schedule or run that it belongs to. */
export type RunOrigin = {
  readonly [Member in keyof typeof members]: z.infer<(typeof members)[Member]> | null;
};

function orNull<T extends z.ZodType>(member: T) {
  return member.nullable().describe(`${member.description ?? ""}; null if there is none.`);
}

function orOmitted<T extends z.ZodType>(member: T) {
  return member.optional().describe(`${member.description ?? ""}; omitted if there is none.`);
}

/** Members of an execution that state its origin (docs/contract/executions.md#origin). */
export const originFields = {
  client_reference: orNull(members.client_reference),
  batch: orNull(members.batch),
  batch_index: orNull(members.batch_index),
  schedule: orNull(members.schedule),
  scheduled_for: orNull(members.scheduled_for),
  retry_of: orNull(members.retry_of),
  retry_root: orNull(members.retry_root),
  retry_from: orNull(members.retry_from),
};

/** The same as completion events have them: without those that do not apply. */
export const originEventFields = {
  client_reference: orOmitted(members.client_reference),
  batch: orOmitted(members.batch),
  batch_index: orOmitted(members.batch_index),
  schedule: orOmitted(members.schedule),
  scheduled_for: orOmitted(members.scheduled_for),
  retry_of: orOmitted(members.retry_of),
  retry_root: orOmitted(members.retry_root),
  retry_from: orOmitted(members.retry_from),
};

/** The origin of a run that was submitted by itself, without a reference. */
const NO_ORIGIN: RunOrigin = {
  client_reference: null,
  batch: null,
  batch_index: null,
  schedule: null,
  scheduled_for: null,
  retry_of: null,
  retry_root: null,
  retry_from: null,
};

/** Returns every member of an origin of which only those that apply are stored. */
export function wholeOrigin(stored: Partial<RunOrigin> | undefined): RunOrigin {
  return { ...NO_ORIGIN, ...stored };
}

/** Returns the members of an origin that are not null; undefined if there are none. */
export function originParts(origin: Partial<RunOrigin>): Partial<RunOrigin> | undefined {
  const parts = Object.entries(origin).filter(([, value]) => value !== null);
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

/** Returns the members of an execution that completion events carry: those of its origin that apply. */
export function originOfExecution(execution: RunOrigin): Partial<RunOrigin> {
  const origin: RunOrigin = {
    client_reference: execution.client_reference,
    batch: execution.batch,
    batch_index: execution.batch_index,
    schedule: execution.schedule,
    scheduled_for: execution.scheduled_for,
    retry_of: execution.retry_of,
    retry_root: execution.retry_root,
    retry_from: execution.retry_from,
  };
  return originParts(origin) ?? {};
}

/** The members that the workspace's index of runs has in columns of their own, since lists filter by them. */
type IndexedOrigin = Pick<RunOrigin, "client_reference" | "batch" | "schedule" | "retry_of">;

/** What the index of runs knows of a run besides its origin, where it is not false or 0. */
interface IndexedMarks {
  readonly is_draft?: boolean;
  readonly reused_iterations?: number;
}

/** Returns the members of an origin that no list filters by, as JSON text; null if there are none. */
export function unindexedOrigin(
  origin: Partial<RunOrigin> | undefined,
  isDraft = false,
): string | null {
  const { client_reference: _1, batch: _2, schedule: _3, retry_of: _4, ...rest } = origin ?? {};
  const parts = originParts(rest);
  return parts === undefined && !isDraft
    ? null
    : JSON.stringify({ ...parts, ...(isDraft && { is_draft: true }) });
}

/** Returns the origin of a run of the index; `origin` is the text of `unindexedOrigin`. */
export function indexedOrigin(
  row: IndexedOrigin & { readonly origin: string | null },
): RunOrigin & Required<IndexedMarks> {
  const { client_reference, batch, schedule, retry_of } = row;
  const kept = (row.origin === null ? {} : JSON.parse(row.origin)) as Partial<RunOrigin> &
    IndexedMarks;
  const { is_draft = false, reused_iterations = 0, ...rest } = kept;
  return {
    ...wholeOrigin({ ...rest, client_reference, batch, schedule, retry_of }),
    is_draft,
    reused_iterations,
  };
}
