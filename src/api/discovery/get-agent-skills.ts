import * as z from "zod";
import { skillTexts } from "../../domain/discovery/skill-texts.ts";
import { defineEndpoint } from "../define-endpoint.ts";

const Index = z.object({
  skills: z
    .array(
      z.object({
        name: z.string().describe("Name of the skill."),
        description: z.string().describe("When to use the skill."),
        url: z.string().describe("Address of the skill's text."),
        digest: z.string().describe("`sha256:` and the hex SHA-256 of the file's bytes."),
      }),
    )
    .describe("The skills."),
});

export const getAgentSkills = defineEndpoint({
  method: "get",
  path: "/.well-known/agent-skills/index.json",
  operationId: "getAgentSkills",
  summary: "Skills for agents that use this service",
  description: "Lists the skills with the address and the digest of each. It needs no token.",
  tag: "Discovery",
  access: "public",
  responses: { 200: { description: "The published skills, with digests", body: Index } },
  errors: [],
  handle: async (ctx) => ({
    status: 200,
    // docs/contract/discovery.md#agent-skills.
    headers: { "cache-control": "public, max-age=3600" },
    body: {
      skills: (await skillTexts(ctx.env, ctx.baseUrl)).map(({ name, description, sha256 }) => ({
        name,
        description,
        url: `${ctx.baseUrl}/.well-known/agent-skills/${name}/SKILL.md`,
        digest: `sha256:${sha256}`,
      })),
    },
  }),
});
