import * as z from "zod";
import { issueToken } from "../../domain/auth/issue-token.ts";
import { limitTokenRequests } from "../../domain/auth/limit-token-requests.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { readBasicCredentials } from "./read-basic-credentials.ts";
import { readFormFields } from "./read-form-fields.ts";

const Token = z
  .object({
    access_token: z.string().describe("Send as `Authorization: Bearer …`."),
    token_type: z.literal("Bearer").describe("Always `Bearer`."),
    expires_in: z.int().describe("Lifetime of the token in seconds."),
    scope: z.string().describe("The key's scopes, separated by spaces."),
  })
  .meta({ id: "Token" });

export const createToken = defineEndpoint({
  method: "post",
  path: "/api/v1/auth/token",
  operationId: "createToken",
  summary: "Exchange client credentials for an access token",
  description:
    "HTTP Basic with `client_id:client_secret`. Reuse the token for its lifetime of one hour instead of requesting one for each call.",
  tag: "Authentication",
  access: "public",
  isReadOnly: true,
  rawBody: {
    contentType: "application/x-www-form-urlencoded",
    schema: z.object({ grant_type: z.literal("client_credentials") }),
  },
  responses: { 200: { description: "A bearer token", body: Token } },
  errors: [
    "invalid_request",
    "unsupported_grant_type",
    "invalid_client",
    "payload_too_large",
    "too_many_requests",
  ],
  handle: async (ctx, _input, c) => {
    // Set by the edge, never by the caller; missing only if no edge is in front of the Worker.
    const address = c.req.header("cf-connecting-ip") ?? "local";
    const limits = await limitTokenRequests(ctx, address);
    const credentials = readBasicCredentials(c.req.header("authorization"));
    const grantType = (await readFormFields(c.req.raw)).get("grant_type");
    // docs/contract/access.md#tokens: malformed requests are rejected before credentials are checked.
    if (grantType === undefined || grantType === "") {
      throw new AppError(
        "invalid_request",
        "The form field grant_type is missing. Send grant_type=client_credentials as application/x-www-form-urlencoded.",
      );
    }
    if (grantType !== "client_credentials") {
      throw new AppError(
        "unsupported_grant_type",
        `grant_type "${grantType.slice(0, 60)}" is not supported. Send client_credentials.`,
      );
    }
    const token = await issueToken(ctx, credentials?.user ?? "", credentials?.password ?? "");
    // RFC 6749 §5.1.
    return {
      status: 200,
      body: token,
      headers: { ...limits, "cache-control": "no-store", pragma: "no-cache" },
    };
  },
});
