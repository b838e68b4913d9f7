import type { WebhookEndpoint } from "../../contracts/webhook.ts";
import { AppError } from "../../lib/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { requireEndpoint } from "./require-endpoint.ts";

/** An endpoint as it is. Throws `not_found`, `forbidden`. */
export async function readEndpoint(ctx: CallerContext, id: string): Promise<WebhookEndpoint> {
  const endpoint = await (await requireEndpoint(ctx, id)).read();
  if (endpoint === null) {
    // Its creation was cut off half way: whoever repeats it with its key finishes it.
    throw new AppError("not_found", `The webhook endpoint ${id} was not created to its end.`);
  }
  return endpoint;
}
