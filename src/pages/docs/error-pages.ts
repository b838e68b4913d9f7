import { ERROR_GUIDES } from "../../lib/error-guides.ts";
import { AppError, type ErrorCode, ERRORS } from "../../lib/errors.ts";
import { STATUS_TITLES } from "../../lib/status-titles.ts";
import type { Page } from "../../platform/page.ts";
import { escapeHtml, proseHtml } from "../site/html.ts";
import { icon } from "../site/icons.ts";
import { sitePage } from "../site/site-page.ts";
import { codeBlock, jsonHtml } from "./code-block.ts";

const CODES = (Object.keys(ERRORS) as ErrorCode[]).toSorted();

function addressOf(code: string): string {
  return `/docs/public-api/errors/${code.replaceAll("_", "-")}`;
}

/** Codes by status, the lowest first. */
const BY_STATUS = [...Map.groupBy(CODES, (code) => ERRORS[code].status)].toSorted(
  ([a], [b]) => a - b,
);

function navigation(current: ErrorCode | undefined): string {
  const groups = BY_STATUS.map(
    ([status, codes]) =>
      `<section><h2>${status}</h2><ul>${codes
        .map(
          (code) =>
            `<li><a href="${addressOf(code)}"${code === current ? ' aria-current="page"' : ""}><code class="cut">${code}</code></a></li>`,
        )
        .join("")}</ul></section>`,
  );
  return `<nav class="doc-n" aria-label="Errors" data-operations>
<div class="search">${icon("search", 14)}<input class="input input-s" type="search" placeholder="Find a code" aria-label="Find a code" data-filter></div>
<p class="tiny muted doc-none" data-none hidden>No code has these words.</p>
${groups.join("\n")}</nav>
<details class="doc-m"><summary>${icon("menu")}${current ?? "All codes"}</summary><div data-operations-copy></div></details>`;
}

/** Every error code in one table. */
export const errorList: Page = {
  path: "/docs/errors",
  operationId: "errorListPage",
  respond: () => {
    const rows = BY_STATUS.flatMap(([status, codes]) =>
      codes.map(
        (code) =>
          `<tr><td><a href="${addressOf(code)}"><code>${code}</code></a></td><td class="n">${status}</td><td class="wraps">${proseHtml(ERROR_GUIDES[code].cause)}</td></tr>`,
      ),
    );
    return sitePage({
      title: "Errors",
      section: "errors",
      isWide: true,
      description: "Every error code of the Edgeloom API.",
      body: `<div class="site-in doc ref">
${navigation(undefined)}
<main id="main" class="doc-b doc-span">
<h1>Errors</h1>
<p class="lede">Every failure is a problem document (<code>application/problem+json</code>). Branch on <code>code</code>; <code>detail</code> is written for people and may change; quote <code>request_id</code> to support.</p>
<div class="scroll" tabindex="0" role="group" aria-label="Error codes, scrolls"><table aria-label="Error codes" class="t-top"><thead><tr><th scope="col">Code</th><th scope="col" class="n">Status</th><th scope="col">Cause</th></tr></thead><tbody>
${rows.join("\n")}
</tbody></table></div></main></div>`,
    });
  },
};

/** The page behind each problem's `type` address: cause and fix. */
export const errorGuide: Page = {
  path: "/docs/public-api/errors/{code}",
  operationId: "errorGuidePage",
  respond: (ctx, { params }) => {
    const code = CODES.find((known) => known.replaceAll("_", "-") === params["code"]);
    if (code === undefined) {
      throw new AppError(
        "not_found",
        "There is no error of that name. /docs/errors lists them all.",
      );
    }
    const { status, retryable } = ERRORS[code];
    const guide = ERROR_GUIDES[code];
    const example = {
      type: `${ctx.baseUrl}${addressOf(code)}`,
      title: STATUS_TITLES[status],
      status,
      detail: "…",
      code,
      instance: "/api/v1/…",
      request_id: "0190f3a2-7c1e-7000-8000-5b7e90c2d4aa",
    };
    return sitePage({
      title: `${code} · Errors`,
      section: "errors",
      isWide: true,
      body: `<div class="site-in doc ref">
${navigation(code)}
<main id="main" class="doc-b">
<p class="crumb"><a href="/docs/errors">Errors</a>${icon("next", 12)}${status}</p>
<h1><code>${escapeHtml(code)}</code></h1>
<p class="row wrap small"><span class="tag">HTTP ${status}</span><span class="muted">${retryable ? "A retry can help." : "A retry of the same request does not help."}</span></p>
<h2>Cause</h2>
<p class="lede">${proseHtml(guide.cause)}</p>
<h2>Fix</h2>
<p class="lede">${proseHtml(guide.mend)}</p></main>
<aside class="doc-s" aria-label="Sample">${codeBlock("problem", [{ label: `${status} ${code}`, html: jsonHtml(example) }], { isDark: true, label: "Problem document" })}</aside></div>`,
    });
  },
};
