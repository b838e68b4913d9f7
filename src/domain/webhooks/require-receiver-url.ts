import { AppError } from "../../lib/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { judgeUrl } from "../../platform/egress/judge-url.ts";
import { loopbackExceptions } from "../../platform/egress/loopback-exceptions.ts";

/** Refuses an address that no attempt could be sent to (spec 2 §5). Throws `invalid_url`. */
export function requireReceiverUrl(ctx: AppContext, url: string): void {
  const judged = judgeUrl(url, {
    loopback: loopbackExceptions(ctx.env),
    allowsIpLiterals: false,
  });
  if (!judged.isAllowed) {
    const message = `The URL cannot receive webhooks: ${judged.reason}. Give a public https address with a name for its host.`;
    throw new AppError("invalid_url", message, { errors: [{ field: "url", message }] });
  }
}
