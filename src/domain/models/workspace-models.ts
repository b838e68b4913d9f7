import { SAMPLE_PROVIDER_ID, WORKERS_AI_PROVIDER_ID } from "../../contracts/provider.ts";
import type { Env } from "../../platform/env.ts";
import { CALLABLE } from "../../providers/callable.ts";
import { type AvailableModel, availableModels } from "./available-models.ts";
import type { DefaultOverrides } from "./default-models.ts";
import type { UsableProvider } from "./usable-provider.ts";

/** The models that a workspace can use, in the order of the defaults, and its own choices of defaults. */
export interface WorkspaceModels {
  readonly available: readonly AvailableModel[];
  readonly overrides: DefaultOverrides;
}

/** The providers that need no configuration. */
export function standingProviders({
  AI,
  SAMPLE_PROVIDER,
}: Pick<Env, "AI" | "SAMPLE_PROVIDER">): UsableProvider[] {
  const plain = { catalog: null, prices: {}, models: [] };
  return [
    ...(AI === undefined
      ? []
      : [{ id: WORKERS_AI_PROVIDER_ID, kind: "workers_ai", ...plain } as const]),
    ...(SAMPLE_PROVIDER === "off"
      ? []
      : [{ id: SAMPLE_PROVIDER_ID, kind: "sample", ...plain } as const]),
  ];
}

/** The models that the workspace of a request can use now. */
export function workspaceModels(env: Env): WorkspaceModels {
  return { available: availableModels(standingProviders(env), CALLABLE), overrides: new Map() };
}
