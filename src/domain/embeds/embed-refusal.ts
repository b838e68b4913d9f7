import type { EmbedTokenReason } from "../../contracts/embeds/embed-permissions.ts";
import { AppError } from "../../lib/errors/errors.ts";

/** Why the token of an embed is refused; `embed_disabled`: by the workspace's plan. */
export type EmbedRefusal = EmbedTokenReason | "embed_disabled";

const MESSAGES: Readonly<Record<EmbedTokenReason, string>> = {
  token_missing:
    "This route needs an embed token. Send Authorization: Bearer <token>; POST /api/v1/embed/tokens mints one.",
  token_invalid:
    "The embed token is not valid. Send the token of POST /api/v1/embed/tokens unchanged.",
  token_expired: "The embed token has expired. Mint a new one.",
  token_revoked: "The embed token, or the API key that minted it, was revoked. Mint a new one.",
};

/** `unauthorized` with the member `reason`, or `plan_limit_exceeded` (docs/contract/embeds.md#refusals). */
export function embedRefusal(refusal: EmbedRefusal): AppError {
  if (refusal === "embed_disabled") {
    return new AppError(
      "plan_limit_exceeded",
      "The plan of this workspace does not include embeds. The owner of the page can change the plan.",
    );
  }
  const error = refusal === "token_missing" ? "" : ', error="invalid_token"';
  return new AppError("unauthorized", MESSAGES[refusal], {
    members: { reason: refusal },
    headers: { "www-authenticate": `Bearer realm="svc"${error}` },
  });
}
