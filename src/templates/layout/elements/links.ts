import { isLinkAddress, type Link } from "../../document/link.ts";
import type { DisplayLink } from "../../display-list.ts";
import type { Context } from "../context.ts";

/** Puts a link where it leads somewhere, and counts it; a field that is not given makes no link. */
export function resolveLink(
  link: Link,
  elementId: string,
  { pass, scope }: Context,
  put: (target: DisplayLink["target"]) => void,
): void {
  const { account, firstPages, options } = pass;
  const target = targetOf();
  if (target === null) {
    return;
  }
  if (target === "invalid") {
    account.linkLeftOut(elementId, "invalid_value");
  } else if (options.hasLinks) {
    account.linkPrinted();
    put(target);
  } else {
    account.linkLeftOut(elementId, "not_in_pdfx4");
  }

  function targetOf(): DisplayLink["target"] | "invalid" | null {
    switch (link.type) {
      case "url":
        return { kind: "url", url: link.url };
      case "field": {
        const { value } = scope.lookup(link.field);
        if (value === null) {
          return null;
        }
        const url = `${link.prefix ?? ""}${typeof value === "object" ? "" : String(value)}`;
        return isLinkAddress(url) ? { kind: "url", url } : "invalid";
      }
      case "page": {
        const pageNumber = firstPages.get(link.pageId.toLowerCase());
        return pageNumber === undefined ? "invalid" : { kind: "page", pageNumber };
      }
    }
  }
}
