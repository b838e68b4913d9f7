import * as z from "zod";
import { guid, RULES, text } from "./scalars.ts";

/** `https:`, `http:`, `mailto:` and `tel:` only. */
export const Link = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("url"), url: text }),
    z.strictObject({
      type: z.literal("field"),
      field: text,
      /** Stands before the value: `https://example.com/items/`. */
      prefix: text.optional(),
    }),
    z.strictObject({ type: z.literal("page"), pageId: guid }),
  ])
  .meta({ id: "Link" });
RULES.add(Link, { code: "DESIGN_LINK_INVALID" });
export type Link = z.output<typeof Link>;

const URL_MAX_CHARACTERS = 2_000;

/** Whether a link may lead to this address (docs/contract/templates.md#documents). */
export function isLinkAddress(address: string): boolean {
  if (address.length > URL_MAX_CHARACTERS || /[\s\p{Cc}]/u.test(address)) {
    return false;
  }
  const scheme = /^(https?|mailto|tel):(.+)$/i.exec(address);
  if (scheme === null) {
    return false;
  }
  const [, name = "", rest = ""] = scheme;
  if (!/^https?$/i.test(name)) {
    return true;
  }
  return rest.startsWith("//") && URL.canParse(address);
}
