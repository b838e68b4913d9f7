import { sha256Hex } from "../../lib/sha256.ts";
import type { AgentSkill } from "./agent-skills.ts";
import { AGENT_SKILLS } from "./agent-skills.ts";

export interface SkillText {
  readonly name: string;
  readonly description: string;
  /** The complete SKILL.md. */
  readonly text: string;
  /** SHA-256 of its UTF-8 bytes, in hex. */
  readonly sha256: string;
}

/** The last result: the texts are constant, and the base address nearly always is. */
let made: { readonly baseUrl: string; readonly texts: Promise<readonly SkillText[]> } | undefined;

/** Every published skill, as served under a base address (without trailing slash). */
export function skillTexts(baseUrl: string): Promise<readonly SkillText[]> {
  if (made?.baseUrl !== baseUrl) {
    made = { baseUrl, texts: Promise.all(AGENT_SKILLS.map((skill) => render(skill, baseUrl))) };
  }
  return made.texts;
}

async function render(
  { name, description, body }: AgentSkill,
  baseUrl: string,
): Promise<SkillText> {
  const front = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n`;
  const text = front + body.replaceAll("{base_url}", () => baseUrl);
  return { name, description, text, sha256: await sha256Hex(text) };
}
