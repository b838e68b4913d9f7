/** Commands that move organizations between shards; they require the deployment's ADMIN_TOKEN. */
import type { OrganizationMove } from "../../src/contracts/workspaces/organization-move.ts";
import { required, textOf } from "./arguments.ts";
import type { Command, Given } from "./command.ts";
import type { Session } from "./session.ts";

const POLL_MS = 500;
const as = "operator" as const;

export const MOVE_COMMANDS: readonly Command[] = [
  {
    words: "organizations move",
    args: "ID",
    about: "Move an organization to another shard; --watch follows the move until it ends",
    operations: ["moveOrganization"],
    flags: { shard: { type: "string", value: "SHARD" }, watch: { type: "boolean" } },
    run: move,
  },
  {
    words: "organizations move-status",
    args: "ID",
    about: "Show the last move of an organization",
    route: {
      operation: "getOrganizationMove",
      method: "GET",
      path: "/admin/v1/organizations/{id}/move",
      isOperator: true,
    },
  },
];

async function move(session: Session, { args, flags }: Given): Promise<unknown> {
  const id = required(args[0], "ID");
  const shard = Number(required(textOf(flags, "shard"), "--shard"));
  const path = `/admin/v1/organizations/${encodeURIComponent(id)}/move`;
  let moved = await session.call<OrganizationMove>("POST", path, { as, json: { shard } });
  let shown = "";
  while (flags["watch"] === true && moved.completed_at === null) {
    const { state, rows_copied: copied, rows_total: total } = moved;
    const line = `${state} ${String(copied)} of ${String(total)} rows`;
    if (line !== shown) {
      console.error(line);
      shown = line;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
    moved = await session.call<OrganizationMove>("GET", path, { as });
  }
  if (flags["watch"] === true) {
    process.exitCode = moved.state === "moved" ? 0 : 1;
  }
  return moved;
}
