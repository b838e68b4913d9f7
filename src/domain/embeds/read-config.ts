import { type EmbedConfig, PROTOCOL_VERSIONS } from "../../contracts/embeds/embed-config.ts";
import type { EmbedContext } from "../../platform/context.ts";
import { embedTokenObject } from "../../storage/objects/embed-token-object.ts";
import { readEffects, readPresets } from "../catalog/built-vocabulary.ts";
import { configFields } from "./config-fields.ts";
import { type EmbedWorkflow, embedWorkflow } from "./embed-workflow.ts";
import { tokenExecutions } from "./token-executions.ts";

/**
 * What a page shows of the workflow behind its token (docs/contract/embeds.md#config). Takes no permit. Throws the errors
 * of `embedWorkflow`.
 */
export async function readConfig(
  ctx: EmbedContext,
  interfaceGiven: string | null,
): Promise<EmbedConfig> {
  const { embed } = ctx;
  const [found, { used }] = await Promise.all([
    embedWorkflow(ctx, interfaceGiven),
    embedTokenObject(ctx, embed.ws_id, embed.jti).standing({ v: 1 }),
  ]);
  const { row, entry, loaded } = found;
  const { permissions } = ctx.principal;
  return {
    protocol: [...PROTOCOL_VERSIONS],
    workflow: {
      id: row.id,
      name: row.name,
      description: row.description,
      version: row.version,
    },
    interface:
      entry === undefined
        ? null
        : { id: entry.id ?? "", name: entry.name, description: entry.description ?? "" },
    fields: configFields(loaded.plan, entry, await vocabularyOf(ctx, found)),
    outputs: outputsOf(found),
    executions: tokenExecutions(embed, used),
    allowed_origins: embed.allowed_origins,
    end_user_id: embed.end_user_id,
    expires_at: new Date(embed.exp * 1000).toISOString(),
    can: {
      execute: permissions.has("ws:executions:create"),
      upload: permissions.has("ws:assets:manage"),
    },
  };
}

/** Read only where a field needs it. */
async function vocabularyOf(ctx: EmbedContext, { entry }: EmbedWorkflow) {
  const has = (type: string) => entry?.fields.some((field) => field.type === type) === true;
  const [presets, effects] = await Promise.all([
    has("preset") ? readPresets(ctx.env) : [],
    has("effect") ? readEffects(ctx.env) : [],
  ]);
  return { presets, effects };
}

/** With an interface its declared outputs, under the keys of results. */
function outputsOf({ loaded: { plan }, entry }: EmbedWorkflow): EmbedConfig["outputs"] {
  const labels = new Map(entry?.outputs.map(({ node, label, key }) => [node, label ?? key]));
  return plan.outputs.flatMap(({ node, key, label, type, cardinality }) => {
    const nodeId = plan.nodes[node]?.id ?? "";
    return entry === undefined || labels.has(nodeId)
      ? [{ key, label: labels.get(nodeId) ?? label, type, cardinality }]
      : [];
  });
}
