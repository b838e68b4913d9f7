import { proxyDurable } from "itty-durable/proxy-durable.js";
import type { EmbedTokenObjectApi } from "../../contracts/embeds/embed-token-object-api.ts";
import type { Env } from "../../platform/env.ts";

/**
 * The object of an embed token, called through itty-durable's proxy, which sends each call by `fetch`. A workspace's
 * id is part of the name: nothing that a caller sends reaches an object of another workspace.
 */
export function embedTokenObject(
  ctx: { readonly env: Pick<Env, "EMBED_TOKEN"> },
  workspaceId: string,
  jti: string,
): EmbedTokenObjectApi {
  const objects = proxyDurable(ctx.env.EMBED_TOKEN, { name: "EMBED_TOKEN", parse: true });
  // Never awaited itself: the proxy would send a call of its member "then".
  const proxy = objects.get(`${workspaceId}:${jti}`) as EmbedTokenObjectApi;
  return {
    take: (request) => proxy.take(request),
    hold: (request) => proxy.hold(request),
    settle: (request) => proxy.settle(request),
    revoke: (request) => proxy.revoke(request),
    standing: (request) => proxy.standing(request),
  };
}
