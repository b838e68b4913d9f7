import type { SvgNode } from "../pdf/artwork/svg-node.ts";

const CHARACTERS_MAX = 500;

/** The title of an element, else its id. */
export function nameOf(node: SvgNode): string | undefined {
  const title = node.children.find(({ name }) => name === "title");
  const text = title?.content.filter((part) => typeof part === "string").join("") ?? "";
  const name = text.trim() === "" ? (node.attributes.get("id") ?? "") : text.trim();
  return name === "" ? undefined : name.replaceAll(/\s+/g, " ").slice(0, CHARACTERS_MAX);
}
