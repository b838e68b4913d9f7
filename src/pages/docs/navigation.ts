import { icon } from "../site/icons.ts";
import { LABEL_HERE } from "./docs-page.ts";

/** A list of pages with a filter; collapsed on narrow screens. `groups` is HTML. */
export function navigationHtml(
  { label, find, none }: { readonly label: string; readonly find: string; readonly none: string },
  groups: readonly string[],
): string {
  return `<nav class="doc-n" aria-label="${label}" data-operations>
<div class="search">${icon("search", 14)}<input class="input input-s" type="search" placeholder="${find}" aria-label="${find}" data-filter><kbd aria-hidden="true">/</kbd></div>
<p class="tiny muted doc-none" data-none hidden>${none}</p>
${groups.join("\n")}</nav>
<details class="doc-m"><summary>${icon("menu")}${LABEL_HERE}</summary><div data-operations-copy></div></details>`;
}
