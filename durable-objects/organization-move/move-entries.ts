import type { OrganizationMovesApi } from "../../src/contracts/workspaces/organization-move.ts";
import { object, text, version, whole } from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";

const organization = { v: version(1), organization_id: text };

/** The methods of the object, which the runner's entry point has too. */
export const MOVE_ENTRIES: Entries<OrganizationMovesApi> = {
  start: [object<Parameters<OrganizationMovesApi["start"]>[0]>({ ...organization, shard: whole })],
  read: [object<Parameters<OrganizationMovesApi["read"]>[0]>(organization)],
};
