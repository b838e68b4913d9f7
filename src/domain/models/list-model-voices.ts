import type { ModelVoice, ModelVoiceList } from "../../contracts/models/model.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { describeCause } from "../../lib/errors/describe-cause.ts";
import type { CallerContext } from "../../platform/context.ts";
import { type CatalogPage, catalogPage } from "../catalog/catalog-page.ts";
import { type WorkspaceModels } from "./workspace-models.ts";

/**
 * A page of the voices of a model that the workspace can use: those of its entry, otherwise those of the provider's
 * account, in the order in which they are listed there. The first one speaks if a node names none. Throws `not_found` for
 * a model that does not speak, `fetch_failed` if the provider does not answer, and `invalid_request` for a cursor that is
 * not in the list.
 */
export async function listModelVoices(
  ctx: Pick<CallerContext, "env" | "log" | "principal">,
  { available }: WorkspaceModels,
  model: string,
  page: CatalogPage,
): Promise<ModelVoiceList> {
  const found = available.find(
    ({ entry }) => entry.model === model && entry.capabilities.includes("text_to_speech"),
  );
  if (found === undefined) {
    throw new AppError(
      "not_found",
      `There is no model "${model.slice(0, 200).toWellFormed()}" with voices that this workspace can use. GET /api/v1/models?capability=text_to_speech lists them.`,
    );
  }
  const { voices } = found.entry;
  const listed = voices === undefined ? await ofAccount(ctx, found.provider) : voices.map(plain);
  return catalogPage(listed, ({ voice }) => voice, page, "voice");
}

function plain(voice: string): ModelVoice {
  return { voice, name: voice, language: null, labels: {}, preview_url: null };
}

async function ofAccount(
  { env, log, principal }: Pick<CallerContext, "env" | "log" | "principal">,
  provider: string,
): Promise<readonly ModelVoice[]> {
  const workspaceId = principal.workspaceId;
  const request = { v: 1, workspace_id: workspaceId, provider } as const;
  const voices = await env.MODEL_PROVIDERS.voices(request).catch((error: unknown) => {
    log.error("voices.failed", { reason: describeCause(error) });
    return null;
  });
  if (voices === null) {
    throw new AppError(
      "fetch_failed",
      "The provider of the model did not answer with its voices. Try again, or let the operator check the provider.",
    );
  }
  return voices;
}
