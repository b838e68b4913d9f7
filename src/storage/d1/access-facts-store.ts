import * as z from "zod";
import type { AccessFacts, PlanCodes } from "../../contracts/workspaces/organization-access.ts";
import { KeyFactsRow } from "./api-key-store.ts";
import { type Databases, type LikelyPlace, readLikely } from "./databases.ts";

const PlanCodeRows = z.array(
  z.object({ code: z.string(), is_own: z.literal([0, 1]).transform((flag) => flag === 1) }),
);

export interface FactsQuestion extends LikelyPlace {
  /** Null for a caller without a key. */
  readonly keyId: string | null;
}

interface FactsRow {
  readonly plans: string;
  readonly key: string | null;
  readonly move_state: unknown;
}

/**
 * The key of a workspace, and the codes of the plans of the workspace and of its organization, by one statement; null for
 * what does not exist. The directory is asked only if the workspace is not where it was last seen.
 */
export async function findAccessFacts(
  bindings: Databases,
  question: FactsQuestion,
): Promise<AccessFacts> {
  const row = await readLikely(bindings, question, async ({ db }) => {
    const { workspaceId, keyId } = question;
    const found = await db.prepare(FACTS).bind(workspaceId, keyId).first<FactsRow>();
    // Of an unknown workspace there are no plans.
    return found?.plans === "[]" ? null : found;
  });
  if (row === null) {
    return { key: null, plans: null };
  }
  const key = row.key === null ? null : KeyFactsRow.parse(JSON.parse(row.key));
  return { key, plans: plansOf(row) };
}

const FACTS = `SELECT
  (SELECT json_group_array(json_object('code', code, 'is_own', is_own)) FROM
    (SELECT max(others.id = own.id) AS is_own, others.plan_code AS code
     FROM workspaces own JOIN workspaces others ON others.organization_id = own.organization_id
     WHERE own.id = ?1 GROUP BY others.plan_code ORDER BY others.plan_code)) AS plans,
  (SELECT json_object('id', id, 'organization_id', organization_id, 'workspace_id', workspace_id,
     'scopes', scopes, 'permissions', permissions, 'is_agent', is_agent, 'expires_at_ms', expires_at_ms,
     'revoked_at_ms', revoked_at_ms) FROM api_keys WHERE id = ?2) AS key,
  (SELECT state FROM organization_moves WHERE organization_id =
    (SELECT organization_id FROM workspaces WHERE id = ?1)) AS move_state`;

function plansOf({ plans }: FactsRow): PlanCodes | null {
  const rows = PlanCodeRows.parse(JSON.parse(plans));
  const own = rows.find(({ is_own }) => is_own);
  return own === undefined
    ? null
    : { workspace: own.code, organization: rows.map(({ code }) => code) };
}
