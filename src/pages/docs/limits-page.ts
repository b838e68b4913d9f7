import { limitText } from "../../lib/limits/limit-text.ts";
import type { Limit } from "../../lib/limits/limit.ts";
import { escapeHtml, proseHtml, slugOf } from "../site/html.ts";
import type { DocsPage } from "./docs-page.ts";

/** All limits by group, from the table whose values the code uses. Roles are written out, as in the list of errors. */
export function limitsPage(rows: readonly Limit[]): DocsPage {
  const groups = [...Map.groupBy(rows, ({ group }) => group)];
  const links = groups.map(
    ([group]) => `<li><a href="#${slugOf(group)}">${escapeHtml(group)}</a></li>`,
  );
  const tables = groups.map(
    ([group, limits]) => `<section><h2 id="${slugOf(group)}">${escapeHtml(group)}</h2>
<div class="scroll" tabindex="0" role="group" aria-label="${escapeHtml(group)}, scrolls"><table role="table" aria-label="${escapeHtml(group)}" class="t-top t-fit rec"><thead role="rowgroup"><tr role="row">${["Limit", "Value", "Reason"].map((name) => `<th role="columnheader" scope="col">${name}</th>`).join("")}</tr></thead><tbody role="rowgroup">
${limits
  .map(
    (limit) =>
      `<tr role="row"><td role="cell" class="name">${proseHtml(limit.name)}</td><td role="cell" class="num">${limitText(limit)}</td><td role="cell" class="wraps">${proseHtml(limit.reason)}</td></tr>`,
  )
  .join("\n")}
</tbody></table></div></section>`,
  );
  return {
    title: "Limits",
    section: "limits",
    isWide: true,
    description: "Every limit of the Edgeloom API, with its reason.",
    body: `<div class="site-in doc ref">
<nav class="doc-n" aria-label="Limits"><ul>${links.join("")}</ul></nav>
<main id="main" class="doc-b doc-span">
<h1>Limits</h1>
<p class="lede">The limits that depend on a plan are returned by <code>GET /api/v1/plan</code>. All others are on this page.</p>
${tables.join("\n")}</main></div>`,
  };
}
