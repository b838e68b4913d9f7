import type {
  FactsChange,
  OrganizationAccessApi,
  ReadFactsRequest,
  ReadPlanRequest,
} from "../../src/contracts/workspaces/organization-access.ts";
import { nullable, object, optional, text, version, whole } from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";

const v = version(1);
const change = object<FactsChange>({ v, subject: text });

export const ACCESS_ENTRIES: Entries<OrganizationAccessApi> = {
  read: [
    object<ReadFactsRequest>({
      v,
      key: nullable(text),
      workspace: text,
      organization: optional(text),
      shard: optional(whole),
    }),
  ],
  readPlan: [object<ReadPlanRequest>({ v, code: text })],
  changing: [change],
  changed: [change],
};
