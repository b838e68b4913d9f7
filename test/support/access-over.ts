import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { OrganizationAccessObject } from "../../durable-objects/organization-access/organization-access-object.ts";
import type { OrganizationAccessApi } from "../../src/contracts/workspaces/organization-access.ts";
import type { Env } from "../../src/platform/env.ts";
import type { Shards } from "./shards.ts";

/** Access objects that read these databases: those of the Worker have its own. */
export function accessOver(databases: Shards): Pick<Env, "ORGANIZATION_ACCESS"> {
  const { ORGANIZATION_ACCESS: real } = env;
  const get = (id: DurableObjectId) => {
    const stub = real.get(id);
    const api: OrganizationAccessApi = {
      read: (request) =>
        runInDurableObject(stub, (_object, state) =>
          new OrganizationAccessObject(state, { ...env, ...databases }).read(request),
        ),
      readPlan: (request) => stub.readPlan(request),
      changing: (change) => stub.changing(change),
      changed: (change) => stub.changed(change),
    };
    return api;
  };
  return {
    ORGANIZATION_ACCESS: { idFromName: (name: string) => real.idFromName(name), get },
  } as unknown as Env;
}
