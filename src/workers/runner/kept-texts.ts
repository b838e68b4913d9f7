import { sha256Hex } from "../../lib/sha256.ts";
import { WeightedCache } from "../../lib/memory/weighted-cache.ts";
import type { ProviderIo } from "../../providers/provider.ts";
import type { Connection } from "../../providers/provider-io.ts";

const KEPT_MS = 600_000;
/** Of all accounts of an isolate: some hundred short texts with their keys. */
const KEPT_CHARS_MAX = 64 * 1024;
const KEY_CHARS = 64;

interface KeptText {
  readonly text: string;
  readonly readAtMs: number;
}

const cache = new WeightedCache<KeptText>(KEPT_CHARS_MAX);

/**
 * Short texts that a provider's account returns again and again, such as its first voice, kept for ten minutes for each
 * workspace, provider and key. Failures are not kept.
 */
export function keptTexts(
  workspaceId: string,
  providerId: string,
  connection: Connection | null,
  nowMs: () => number,
): ProviderIo["kept"] {
  return async (name, read) => {
    // Another key may be that of another account.
    const key = await sha256Hex(JSON.stringify([workspaceId, providerId, connection, name]));
    const found = cache.get(key);
    const ageMs = found === undefined ? KEPT_MS : nowMs() - found.readAtMs;
    // A clock that was set back makes a text look younger than it is.
    if (found !== undefined && ageMs >= 0 && ageMs < KEPT_MS) {
      return found.text;
    }
    const text = await read();
    cache.set(key, { text, readAtMs: nowMs() }, KEY_CHARS + text.length);
    return text;
  };
}
