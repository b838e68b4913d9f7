import { ColorProfile, CreateColorProfile } from "../../contracts/templates/color-profile.ts";
import { createColorProfile as create } from "../../domain/color-profiles/create-color-profile.ts";
import { describeColorProfile } from "../../domain/color-profiles/describe-color-profile.ts";
import { requireColorProfile } from "../../domain/color-profiles/require-color-profile.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";

export const createColorProfile = defineEndpoint({
  method: "post",
  path: "/api/v1/color-profiles",
  operationId: "createColorProfile",
  summary: "Create a color profile",
  description:
    "Copies an ICC profile of a press from an asset: class `prtr`, version 2 or 4, CMYK, RGB or gray, at most 10 MiB. PDF/X-4 files name it as their output intent and embed it.",
  tag: "Color profiles",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  createsOnce: true,
  request: { body: CreateColorProfile },
  responses: { 201: { description: "The profile", body: ColorProfile } },
  errors: ["invalid_content", "forbidden", "not_found"],
  handle: async (ctx, { body, creation }) => {
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: (claim) => create(ctx, body, claim?.statements(201)),
      replay: async ({ resourceId }) =>
        describeColorProfile(await requireColorProfile(ctx, resourceId)),
    });
    return { status: 201, body: value, headers: replayHeaders(isReplay) };
  },
});
