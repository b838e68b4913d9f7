import type { PortType } from "./port-type.ts";

/** The source types that a port accepts besides its own type and `any` [E3]. */
const FEEDS: Partial<Record<PortType, readonly PortType[]>> = {
  json: ["number", "boolean"],
  text: ["url"],
  url: ["text"],
};

export function canFeed(
  source: PortType,
  target: { readonly type: PortType; readonly accepts?: readonly PortType[] },
): boolean {
  return (
    source === "any" ||
    target.type === "any" ||
    source === target.type ||
    (FEEDS[target.type]?.includes(source) ?? false) ||
    (target.accepts?.includes(source) ?? false)
  );
}
