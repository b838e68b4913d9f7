import type { CheckedExecution } from "../../contracts/embeds/embed-requests.ts";
import type { EmbedContext } from "../../platform/context.ts";
import { embedTokenObject } from "../../storage/objects/embed-token-object.ts";
import { capExceeded, tokenExecutions, tooManyPermits } from "./token-executions.ts";

/**
 * Counts one run of the token and returns a permit for it (docs/contract/embeds.md#caps). Throws
 * `execution_cap_exceeded`, and `too_many_requests` with more open permits than are kept.
 */
export async function checkExecution(ctx: EmbedContext): Promise<CheckedExecution> {
  const { embed } = ctx;
  const outcome = await embedTokenObject(ctx, embed.ws_id, embed.jti).take({
    v: 1,
    max: embed.max_executions,
    token_ends_at_ms: embed.exp * 1000,
  });
  switch (outcome.kind) {
    case "taken":
      return {
        allowed: true,
        permit: outcome.permit,
        executions: tokenExecutions(embed, outcome.used),
      };
    case "exhausted":
      throw capExceeded(embed, { kind: "exhausted", used: outcome.used });
    case "crowded":
      throw tooManyPermits(outcome);
  }
}
