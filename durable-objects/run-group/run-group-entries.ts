import {
  GROUPED_STARTS_MAX,
  type GroupedStart,
  type RunGroupApi,
  type StartAllRequest,
} from "../../src/contracts/runs/run-group-api.ts";
import { flag, list, object, text, version, whole } from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";
import { START_FIELDS } from "../shared/entry-shapes.ts";

const v = version(1);

const start = object<GroupedStart>({
  ...START_FIELDS,
  reserved_milli_credits: whole,
  is_held: flag,
});

export const RUN_GROUP_ENTRIES: Entries<RunGroupApi> = {
  startAll: [
    object<StartAllRequest>({
      v,
      definition_json: text,
      starts: list(start, GROUPED_STARTS_MAX),
    }),
  ],
  take: [object<Parameters<RunGroupApi["take"]>[0]>({ v, run_id: text, begins: flag })],
  forget: [object<Parameters<RunGroupApi["forget"]>[0]>({ v, run_id: text })],
};
