import { sha256Hex } from "../../lib/sha256.ts";
import type { Env } from "../../platform/env.ts";
import { readBuiltJson } from "../../platform/read-built-json.ts";
import type { AgentSkill } from "./agent-skills.ts";

export interface SkillText {
  readonly name: string;
  readonly description: string;
  /** The whole SKILL.md. */
  readonly text: string;
  /** SHA-256 of its UTF-8 bytes, in hex. */
  readonly sha256: string;
}

/**
 * The texts made last; they are the same for every request while the base address is. The texts and not their promise,
 * which requests must not share (docs/decisions/shared-promises.md).
 */
let made: { readonly baseUrl: string; readonly texts: readonly SkillText[] } | undefined;

/** Returns every published skill as it is served under a base address (without trailing slash). */
export async function skillTexts(
  env: Pick<Env, "ASSETS">,
  baseUrl: string,
): Promise<readonly SkillText[]> {
  if (made?.baseUrl === baseUrl) {
    return made.texts;
  }
  const skills = await readBuiltJson<readonly AgentSkill[]>(env, "agent-skills.json");
  const texts = await Promise.all(skills.map((skill) => render(skill, baseUrl)));
  made = { baseUrl, texts };
  return texts;
}

async function render(
  { name, description, body }: AgentSkill,
  baseUrl: string,
): Promise<SkillText> {
  const front = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n`;
  const text = front + body.replaceAll("{base_url}", () => baseUrl);
  return { name, description, text, sha256: await sha256Hex(text) };
}
