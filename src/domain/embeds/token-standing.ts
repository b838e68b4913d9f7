import type { EmbedTokenState } from "../../contracts/embeds/embed-token-object-api.ts";
import type { AppContext } from "../../platform/context.ts";
import { embedTokenObject } from "../../storage/objects/embed-token-object.ts";

/** docs/contract/embeds.md#revocation: refused everywhere within a second, of which a call itself may take the rest. */
const AGE_MAX_MS = 500;
const TOKENS_MAX = 10_000;

interface Known {
  readonly revokedUntilMs: number;
  readonly askedAtMs: number;
}

/** By age of the answer, the oldest first. The answers and not their promises, which requests must not share. */
const known = new Map<string, Known>();

/** Whether a token is revoked now, by an answer of its object that is at most 500 ms old. */
export async function isTokenRevoked(
  ctx: AppContext,
  workspaceId: string,
  jti: string,
): Promise<boolean> {
  const name = `${workspaceId}:${jti}`;
  const nowMs = ctx.nowMs();
  const seen = known.get(name);
  const ageMs = seen === undefined ? Infinity : nowMs - seen.askedAtMs;
  if (seen !== undefined && ageMs >= 0 && ageMs < AGE_MAX_MS) {
    return seen.revokedUntilMs > nowMs;
  }
  const state = await embedTokenObject(ctx, workspaceId, jti).standing({ v: 1 });
  noteTokenState(workspaceId, jti, state, nowMs);
  return state.revoked_until_ms > ctx.nowMs();
}

/** Keeps an answer of the object that was asked for at `askedAtMs`, unless it has a newer one. */
export function noteTokenState(
  workspaceId: string,
  jti: string,
  state: Pick<EmbedTokenState, "revoked_until_ms">,
  askedAtMs: number,
): void {
  const name = `${workspaceId}:${jti}`;
  const seen = known.get(name);
  // A revocation only grows: of two answers, the later end is the newer truth.
  const revokedUntilMs = Math.max(state.revoked_until_ms, seen?.revokedUntilMs ?? 0);
  known.delete(name);
  known.set(name, { revokedUntilMs, askedAtMs });
  if (known.size > TOKENS_MAX) {
    const oldest = known.keys().next();
    if (!oldest.done) {
      known.delete(oldest.value);
    }
  }
}
