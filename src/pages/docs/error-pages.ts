import { ERROR_GUIDES } from "../../lib/error-guides.ts";
import { AppError, type ErrorCode, ERRORS } from "../../lib/errors.ts";
import type { Page } from "../../platform/page.ts";
import { escapeHtml, htmlPage, proseHtml } from "./html-page.ts";

const CODES = (Object.keys(ERRORS) as ErrorCode[]).toSorted();

function addressOf(code: string): string {
  return `/docs/public-api/errors/${code.replaceAll("_", "-")}`;
}

/** Every error code in one table. */
export const errorList: Page = {
  path: "/docs/errors",
  operationId: "errorListPage",
  respond: () => {
    const rows = CODES.map(
      (code) =>
        `<tr><td><a href="${addressOf(code)}"><code>${code}</code></a></td><td>${ERRORS[code].status}</td><td>${proseHtml(ERROR_GUIDES[code].cause)}</td></tr>`,
    );
    return htmlPage({
      title: "Errors",
      body: `<main><nav><a href="/docs">API reference</a></nav>
<h1>Errors</h1>
<p>Every error answer is a problem document (<code>application/problem+json</code>). Branch on <code>code</code>; <code>detail</code> is for people and may change; quote <code>request_id</code> to support.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>Cause</th></tr></thead><tbody>
${rows.join("\n")}
</tbody></table></main>`,
    });
  },
};

/** The page behind each problem's `type` address: cause and mend (decisions §12). */
export const errorGuide: Page = {
  path: "/docs/public-api/errors/{code}",
  operationId: "errorGuidePage",
  respond: (_ctx, { params }) => {
    const code = CODES.find((known) => known.replaceAll("_", "-") === params["code"]);
    if (code === undefined) {
      throw new AppError(
        "not_found",
        "There is no error of that name. /docs/errors lists them all.",
      );
    }
    const { status, retryable } = ERRORS[code];
    const guide = ERROR_GUIDES[code];
    return htmlPage({
      title: `${code} · Errors`,
      body: `<main><nav><a href="/docs">API reference</a> · <a href="/docs/errors">Errors</a></nav>
<h1><code>${escapeHtml(code)}</code></h1>
<p>HTTP ${status} · ${retryable ? "trying again can help" : "trying again unchanged does not help"}</p>
<h2>Cause</h2>
<p>${proseHtml(guide.cause)}</p>
<h2>What to do</h2>
<p>${proseHtml(guide.mend)}</p></main>`,
    });
  },
};
