import { compareContracts } from "../../templates/compatibility/compare-contracts.ts";
import type { Env } from "../../platform/env.ts";
import type { Databases } from "../../storage/d1/databases.ts";
import {
  type TemplateRow,
  TemplateRows,
  type TemplateVersionRow,
} from "../../storage/d1/template-rows.ts";
import { loadContract } from "./load-revision.ts";

const PAGE = 50;

/** The highest revision of a template that is compatible with `pinned`; that one itself if none is. */
export async function highestCompatible(
  ctx: {
    readonly env: Databases & Pick<Env, "FILES">;
    readonly principal: { readonly workspaceId: string };
  },
  row: TemplateRow,
  pinned: TemplateVersionRow,
): Promise<TemplateVersionRow> {
  const { workspaceId } = ctx.principal;
  const rows = new TemplateRows(ctx.env, workspaceId);
  const from = await loadContract(ctx.env, workspaceId, pinned);
  for (let below = row.latest_revision + 1; from !== undefined && below > pinned.revision + 1;) {
    const page = await rows.versions(row.id, below, PAGE);
    for (const version of page.rows) {
      below = version.revision;
      if (version.revision <= pinned.revision) {
        return pinned;
      }
      const to = await loadContract(ctx.env, workspaceId, version);
      if (
        to !== undefined &&
        compareContracts(from.contract, to.contract).every(({ compatible }) => compatible)
      ) {
        return version;
      }
    }
    if (page.rows.length === 0) {
      break;
    }
  }
  return pinned;
}
