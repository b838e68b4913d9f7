import pixels from "../../images/pixels/pixels.wasm";
import type { VoicesRequest, VoicesResult } from "../../contracts/models/model-providers.ts";
import type { ModelVoice } from "../../contracts/models/model.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { jsonMemory } from "../../lib/json/json-memory.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { WeightedCache } from "../../lib/memory/weighted-cache.ts";
import { NEEDS } from "../../nodes/define-tools.ts";
import { RequestMemory } from "../../platform/request-memory.ts";
import { providerIo } from "../../providers/provider-io.ts";
import { type AskingEnv, configuredProvider } from "./model-providers.ts";

const KEPT_MS = 600_000;
/** Of all workspaces of an isolate. A list has at most 500 voices, usually of some hundred bytes, each of 10 kB at most. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024;
/** A page of voices arrives within this time. */
const PAGE_MAX_MS = 10_000;

interface ReadVoices {
  readonly voices: readonly ModelVoice[];
  readonly readAtMs: number;
}

const cache = new WeightedCache<ReadVoices>(KEPT_BYTES_MAX, 1);

/**
 * The voices of a provider's account, kept for ten minutes for each workspace and key (docs/contract/models.md#voices).
 * Throws `service_unavailable` if there is no memory for them in time.
 */
export async function listProviderVoices(
  env: AskingEnv,
  { workspace_id: workspaceId, provider: id }: VoicesRequest,
  nowMs: () => number,
): Promise<VoicesResult> {
  try {
    const found = await configuredProvider(env, workspaceId, id);
    const list = found?.provider.listVoices;
    if (found === undefined || list === undefined) {
      return [];
    }
    const { provider, connection } = found;
    const io = providerIo(env, provider, connection, {
      key: "voices",
      attempt: 1,
      signal: new AbortController().signal,
      timeoutMs: PAGE_MAX_MS,
      openPicture: () => Promise.reject(new TypeError("A list of voices has no pictures.")),
      pixels,
    });
    // Another key may be that of another account.
    const account = await sha256Hex(JSON.stringify([workspaceId, id, connection]));
    const readAtMs = nowMs();
    const kept = cache.get(account);
    const ageMs = kept === undefined ? KEPT_MS : readAtMs - kept.readAtMs;
    // A clock that was set back makes a list look younger than it is.
    if (kept !== undefined && ageMs >= 0 && ageMs < KEPT_MS) {
      return kept.voices;
    }
    return await new RequestMemory().use(NEEDS.models.memoryBytes, async () => {
      const voices = await list(io);
      cache.set(account, { voices, readAtMs }, jsonMemory(JSON.stringify(voices)));
      return voices;
    });
  } catch (error) {
    if (error instanceof NodeError) {
      return null;
    }
    throw error;
  }
}
