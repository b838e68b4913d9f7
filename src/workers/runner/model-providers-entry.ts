import { WorkerEntrypoint } from "cloudflare:workers";
import { parseEntries } from "../../../durable-objects/shared/entries.ts";
import type {
  CheckRequest,
  CheckResult,
  ModelProvidersApi,
  VoicesRequest,
  VoicesResult,
} from "../../contracts/models/model-providers.ts";
import { nullable, object, text, version } from "../../lib/json/shape.ts";
import { isRunnerEnvUsable } from "../../platform/check-env.ts";
import type { RunnerEnv } from "../../platform/env.ts";
import { checkProvider } from "./check-provider.ts";
import { listProviderVoices } from "./list-provider-voices.ts";

/** Asks providers for the API Worker, which has no adapters, through its binding MODEL_PROVIDERS. */
export class ModelProviders extends WorkerEntrypoint<RunnerEnv> implements ModelProvidersApi {
  voices(request: VoicesRequest): Promise<VoicesResult> {
    return listProviderVoices(this.env, request, () => Date.now());
  }

  check(request: CheckRequest): Promise<CheckResult> {
    return checkProvider(this.env, request);
  }
}

parseEntries<ModelProvidersApi>(ModelProviders, isRunnerEnvUsable, {
  voices: [object<VoicesRequest>({ v: version(1), workspace_id: text, provider: text })],
  check: [object<CheckRequest>({ v: version(1), workspace_id: nullable(text), id: text })],
});
