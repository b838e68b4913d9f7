import * as z from "zod";
import { skillTexts } from "../../domain/discovery/skill-texts.ts";
import { matchesEntityTag } from "../../lib/http/entity-tag.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const getAgentSkill = defineEndpoint({
  method: "get",
  path: "/.well-known/agent-skills/{skill}/SKILL.md",
  operationId: "getAgentSkill",
  summary: "Read a skill for agents",
  description:
    "Markdown that tells an agent step by step how to use the service, with this deployment's own addresses. It needs no token.",
  tag: "Discovery",
  access: "public",
  request: {
    params: z.object({ skill: z.string().describe("A `name` of the index.") }),
    headers: z.object({
      "if-none-match": z.string().optional().describe("The `ETag` of your copy."),
    }),
  },
  responses: {
    200: {
      description: "The skill. Compare its bytes with the digest in the index.",
      contentType: "text/markdown",
      headers: { ETag: "Changes with the text" },
    },
    304: { description: "Not modified since the `ETag` that was sent" },
  },
  errors: ["not_found"],
  handle: async (ctx, { params, headers }) => {
    const skills = await skillTexts(ctx.env, ctx.baseUrl);
    const skill = skills.find(({ name }) => name === params.skill);
    if (skill === undefined) {
      throw new AppError(
        "not_found",
        `There is no skill "${params.skill.slice(0, 100).toWellFormed()}". /.well-known/agent-skills/index.json lists them: ${skills.map(({ name }) => name).join(", ")}.`,
      );
    }
    const etag = `"${skill.sha256.slice(0, 32)}"`;
    // docs/contract/discovery.md#agent-skills.
    const cached = { etag, "cache-control": "public, max-age=3600" };
    if (matchesEntityTag(headers["if-none-match"] ?? null, etag)) {
      return { status: 304, headers: cached };
    }
    return {
      response: new Response(skill.text, {
        headers: { ...cached, "content-type": "text/markdown; charset=utf-8" },
      }),
    };
  },
});
