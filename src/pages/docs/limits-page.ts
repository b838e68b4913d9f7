import { limitText } from "../../lib/limit-text.ts";
import { LIMITS } from "../../lib/limits-table.ts";
import type { Page } from "../../platform/page.ts";
import { escapeHtml, htmlPage, proseHtml } from "./html-page.ts";

/** Every limit, by group, from the table that the code takes its figures from. */
export const limitsPage: Page = {
  path: "/docs/limits",
  operationId: "limitsPage",
  respond: () => {
    const groups = Map.groupBy(Object.values(LIMITS), ({ group }) => group);
    const tables = [...groups].map(
      ([group, limits]) => `<h2>${escapeHtml(group)}</h2>
<table><thead><tr><th>Limit</th><th>Value</th><th>Reason</th></tr></thead><tbody>
${limits
  .map(
    (limit) =>
      `<tr><td>${proseHtml(limit.name)}</td><td>${limitText(limit)}</td><td>${proseHtml(limit.reason)}</td></tr>`,
  )
  .join("\n")}
</tbody></table>`,
    );
    return htmlPage({
      title: "Limits",
      body: `<main><nav><a href="/docs">API reference</a> · <a href="/docs/errors">Errors</a></nav>
<h1>Limits</h1>
<p>What a plan limits, <code>GET /api/v1/plan</code> says. All else stands here.</p>
${tables.join("\n")}</main>`,
    });
  },
};
