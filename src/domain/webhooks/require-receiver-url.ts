import { AppError } from "../../lib/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { judgeUrl } from "../../platform/egress/judge-url.ts";
import { resolvesToPrivate } from "../../platform/egress/private-name.ts";
import { loopbackExceptions } from "../../platform/egress/loopback-exceptions.ts";

/** Refuses an address that no attempt could be sent to (docs/contract/webhooks.md#receiver-addresses). Throws `invalid_url`. */
export async function requireReceiverUrl(ctx: AppContext, url: string): Promise<void> {
  const judged = judgeUrl(url, {
    loopback: loopbackExceptions(ctx.env),
    allowsIpLiterals: false,
  });
  const reason = judged.isAllowed
    ? !judged.isLoopback && (await resolvesToPrivate(ctx.env, judged.url, fetch))
      ? "its name resolves to an address that is not public"
      : undefined
    : judged.reason;
  if (reason !== undefined) {
    const message = `The URL cannot receive webhooks: ${reason}. Give a public https address with a name for its host.`;
    throw new AppError("invalid_url", message, { errors: [{ field: "url", message }] });
  }
}
