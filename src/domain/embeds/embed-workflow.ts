import type { CustomInterface } from "../../contracts/workflows/definition.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { EmbedContext } from "../../platform/context.ts";
import type { WorkflowRow } from "../../storage/d1/workflow-row.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { chooseInterface, unknownInterface } from "../workflows/choose-interface.ts";
import { type LoadedVersion, loadVersion } from "../workflows/versions/load-version.ts";

export interface EmbedWorkflow {
  readonly row: WorkflowRow;
  readonly loaded: LoadedVersion;
  /** Undefined for the default interface. */
  readonly entry: CustomInterface | undefined;
}

/**
 * The workflow of a runtime token in its latest published version, and the interface in force. Throws `not_found` for a
 * deleted workflow, `workflow_not_published`, `forbidden` for another interface than the token's, `validation_error` for
 * an unknown one.
 */
export async function embedWorkflow(
  ctx: EmbedContext,
  interfaceGiven: string | null,
): Promise<EmbedWorkflow> {
  const { embed } = ctx;
  const row = await new WorkflowStore(ctx.env, embed.ws_id).find(embed.wf);
  if (row === undefined || row === "elsewhere") {
    throw workflowGone();
  }
  if (row.status !== "published") {
    throw notPublished();
  }
  const loaded = await loadVersion(ctx, row.id, row.version);
  const { interfaces } = loaded.definition;
  const id = interfaceInForce(ctx, interfaces, interfaceGiven);
  const entry = interfaces.find((each) => each.id === id);
  if (id !== null && entry === undefined) {
    throw unknownInterface(interfaces, id);
  }
  return { row, loaded, entry };
}

/** The token's interface, else the one that the request names, else null. Throws `forbidden` if these two differ. */
export function interfaceInForce(
  { embed }: Pick<EmbedContext, "embed">,
  interfaces: readonly { readonly id?: string | undefined }[],
  given: string | null,
): string | null {
  const named = given === null ? null : chooseInterface(interfaces, given);
  if (embed.if !== null && named !== null && named !== embed.if) {
    throw new AppError(
      "forbidden",
      "The embed token fixes another interface. Leave `interface` out, or mint a token for this one.",
    );
  }
  return embed.if ?? named;
}

export function workflowGone(): AppError {
  return new AppError("not_found", "The workflow of this embed token was deleted.");
}

function notPublished(): AppError {
  return new AppError(
    "workflow_not_published",
    "The workflow of this embed token is not published now. Its owner can publish it again.",
  );
}
