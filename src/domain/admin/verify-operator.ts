import { AppError } from "../../lib/errors/errors.ts";
import { sameBytes } from "../../lib/same-bytes.ts";
import { sha256 } from "../../lib/sha256.ts";
import { readToken } from "../auth/read-token.ts";
import type { AppContext } from "../../platform/context.ts";

/**
 * Authenticates the operator. Throws `not_found` if no ADMIN_TOKEN is set
 * (docs/contract/access.md#operator-api), `forbidden` for an embed token, `unauthorized` for any other. Digests are compared,
 * so that the time reveals nothing about the token.
 */
export async function verifyOperator(ctx: AppContext, token: string | undefined): Promise<void> {
  const expected = ctx.env.ADMIN_TOKEN ?? "";
  if (expected === "") {
    throw new AppError("not_found", "There is no such route. /docs lists every route.");
  }
  if (!sameBytes(await sha256(token ?? ""), await sha256(expected))) {
    if (token !== undefined && (await readToken(ctx, token))?.kind === "runtime") {
      throw new AppError(
        "forbidden",
        "This is a runtime embed token, which is valid on /api/embed alone.",
      );
    }
    throw new AppError(
      "unauthorized",
      "The operator API needs Authorization: Bearer <ADMIN_TOKEN>, the secret of this deployment.",
      { headers: { "www-authenticate": 'Bearer realm="svc-admin"' } },
    );
  }
}
