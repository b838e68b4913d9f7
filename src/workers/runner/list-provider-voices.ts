import type { VoicesRequest, VoicesResult } from "../../contracts/model-providers.ts";
import type { ModelVoice } from "../../contracts/model.ts";
import { NodeError } from "../../lib/node-error.ts";
import { RefreshingCache } from "../../lib/refreshing-cache.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { providerIo } from "../../providers/provider-io.ts";
import { type AskingEnv, configuredProvider } from "./model-providers.ts";

const KEPT_MS = 600_000;
/** Of all workspaces of an isolate; a list has at most 500 voices of some hundred bytes. */
const LISTS_MAX = 50;
/** A page of voices arrives within this time. */
const PAGE_MAX_MS = 10_000;

const cache = new RefreshingCache<readonly ModelVoice[]>({
  ttlMs: KEPT_MS,
  refreshMs: KEPT_MS,
  entriesMax: LISTS_MAX,
});

/** The voices of a provider's account, kept for ten minutes for each workspace and key (docs/contract/models.md#voices). */
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
    });
    // Another key may be that of another account.
    const account = await sha256Hex(JSON.stringify([workspaceId, id, connection]));
    const source = { nowMs, waitUntil: () => {}, read: () => list(io) };
    return (await cache.get(account, source)) ?? [];
  } catch (error) {
    if (error instanceof NodeError) {
      return null;
    }
    throw error;
  }
}
