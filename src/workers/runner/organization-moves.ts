import { WorkerEntrypoint } from "cloudflare:workers";
import { MOVE_ENTRIES } from "../../../durable-objects/organization-move/move-entries.ts";
import { parseEntries } from "../../../durable-objects/shared/entries.ts";
import type {
  MoveRefused,
  OrganizationMove,
  OrganizationMovesApi,
} from "../../contracts/workspaces/organization-move.ts";
import { isRunnerEnvUsable } from "../../platform/check-env.ts";
import type { RunnerEnv } from "../../platform/env.ts";

/** The objects that move organizations, for the API Worker, through its binding ORGANIZATION_MOVES. */
export class OrganizationMoves extends WorkerEntrypoint<RunnerEnv> implements OrganizationMovesApi {
  async start(
    request: Parameters<OrganizationMovesApi["start"]>[0],
  ): Promise<OrganizationMove | MoveRefused> {
    return await this.#of(request.organization_id).start(request);
  }

  async read(request: Parameters<OrganizationMovesApi["read"]>[0]): Promise<OrganizationMove> {
    return await this.#of(request.organization_id).read(request);
  }

  #of(organizationId: string): OrganizationMovesApi {
    const { ORGANIZATION_MOVE } = this.env;
    return ORGANIZATION_MOVE.get(ORGANIZATION_MOVE.idFromName(organizationId));
  }
}

parseEntries<OrganizationMovesApi>(OrganizationMoves, isRunnerEnvUsable, MOVE_ENTRIES);
