import { type CodeKind, type ListedCode, TOPICS } from "../../domain/errors/listed-code.ts";
import { AppError, type ErrorCode, ERRORS } from "../../lib/errors/errors.ts";
import { STATUS_TITLES } from "../../lib/errors/status-titles.ts";
import type { Env } from "../../platform/env.ts";
import type { Page } from "../../platform/page.ts";
import { readBuiltJson } from "../../platform/read-built-json.ts";
import { escapeHtml, proseHtml } from "../site/html.ts";
import { icon } from "../site/icons.ts";
import { sitePage } from "../site/site-page.ts";
import { codeBlock, jsonHtml } from "./code-block.ts";

const CODES = (Object.keys(ERRORS) as ErrorCode[]).toSorted();

/** Every code, as `listCodes` returns them. */
function listedCodes(env: Pick<Env, "ASSETS">): Promise<readonly ListedCode[]> {
  return readBuiltJson(env, "error-codes.json");
}

/** The address in a problem's `type`; every other code has its page beside the list. */
function addressOf(code: string): string {
  return Object.hasOwn(ERRORS, code)
    ? `/docs/public-api/errors/${code.replaceAll("_", "-")}`
    : `/docs/errors/${code}`;
}

function byTopic(listed: readonly ListedCode[]) {
  return [...Map.groupBy(listed, ({ topic }) => topic)];
}

function navigation(listed: readonly ListedCode[], current: string | undefined): string {
  const groups = byTopic(listed).map(
    ([topic, codes]) =>
      `<section><h2>${TOPICS[topic]}</h2><ul>${[...new Set(codes.map(({ code }) => code))]
        .map(
          (code) =>
            `<li><a href="${addressOf(code)}"${code === current ? ' aria-current="page"' : ""}><code class="cut">${code}</code></a></li>`,
        )
        .join("")}</ul></section>`,
  );
  return `<nav class="doc-n" aria-label="Errors" data-operations>
<div class="search">${icon("search", 14)}<input class="input input-s" type="search" placeholder="Find a code" aria-label="Find a code" data-filter><kbd aria-hidden="true">/</kbd></div>
<p class="tiny muted doc-none" data-none hidden>No code has these words.</p>
${groups.join("\n")}</nav>
<details class="doc-m"><summary>${icon("menu")}${current ?? "All codes"}</summary><div data-operations-copy></div></details>`;
}

/** Every error code in one table. Its roles are written out: on narrow screens its rows are blocks, not table rows. */
export const errorList: Page = {
  path: "/docs/errors",
  operationId: "errorListPage",
  respond: async (ctx) => {
    const listed = await listedCodes(ctx.env);
    const tables = byTopic(listed).map(
      ([topic, codes]) => `<h2 id="${topic}">${TOPICS[topic]}</h2>
<div class="scroll" tabindex="0" role="group" aria-label="${TOPICS[topic]}, scrolls"><table role="table" aria-label="${TOPICS[topic]}" class="t-top t-fit rec"><thead role="rowgroup"><tr role="row">${["Code", "Kind", "Status", "Cause", "What to do"].map((name) => `<th role="columnheader" scope="col"${name === "Status" ? ' class="n"' : ""}>${name}</th>`).join("")}</tr></thead><tbody role="rowgroup">
${codes
  .map(
    ({ code, kind, problem, cause, remedy }) =>
      `<tr role="row"><td role="cell"><a href="${addressOf(code)}"><code>${code}</code></a></td><td role="cell">${kind}</td><td role="cell" class="n">${problem?.status ?? ""}</td><td role="cell" class="wraps">${proseHtml(cause)}</td><td role="cell" class="wraps" data-l="Fix">${proseHtml(remedy)}</td></tr>`,
  )
  .join("\n")}
</tbody></table></div>`,
    );
    return sitePage({
      title: "Errors",
      section: "errors",
      isWide: true,
      description: "Every error code of the Edgeloom API.",
      body: `<div class="site-in doc ref">
${navigation(listed, undefined)}
<main id="main" class="doc-b doc-span">
<h1>Errors</h1>
<p class="lede">Every failure is a problem document (<code>application/problem+json</code>). Branch on <code>code</code>; <code>detail</code> is written for people and may change; quote <code>request_id</code> to support. Runs that fail, warnings and issues of definitions have codes of their own.</p>
${tables.join("\n")}</main></div>`,
    });
  },
};

/** The page at a problem's `type` address: cause and fix. */
export const errorGuide: Page = {
  path: "/docs/public-api/errors/{code}",
  operationId: "errorGuidePage",
  respond: async (ctx, { params }) => {
    const code = CODES.find((known) => known.replaceAll("_", "-") === params["code"]);
    if (code === undefined) {
      throw new AppError("not_found", "This error does not exist. /docs/errors lists all errors.");
    }
    const { status, retryable } = ERRORS[code];
    const listed = await listedCodes(ctx.env);
    const guide = listed.find((entry) => entry.kind === "problem" && entry.code === code);
    if (guide === undefined) {
      throw new Error(
        `The deployment's list of codes does not have ${code}: build its assets again.`,
      );
    }
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
${navigation(listed, code)}
<main id="main" class="doc-b">
<p class="crumb"><a href="/docs/errors">Errors</a>${icon("next", 12)}${status}</p>
<h1><code>${escapeHtml(code)}</code></h1>
<p class="row wrap small"><span class="tag">HTTP ${status}</span><span class="muted">${retryable ? "A retry can help." : "A retry of the same request does not help."}</span></p>
<h2>Cause</h2>
<p class="lede">${proseHtml(guide.cause)}</p>
<h2>Fix</h2>
<p class="lede">${proseHtml(guide.remedy)}</p></main>
<aside class="doc-s" aria-label="Sample">${codeBlock("problem", [{ label: `${status} ${code}`, html: jsonHtml(example) }], { isDark: true, label: "Problem document" })}</aside></div>`,
    });
  },
};

/** The page of a code, with its meaning in each of its kinds. */
export const codeGuide: Page = {
  path: "/docs/errors/{code}",
  operationId: "codeGuidePage",
  respond: async (ctx, { params }) => {
    const listed = await listedCodes(ctx.env);
    const kinds = listed.filter(({ code }) => code === params["code"]);
    const [first] = kinds;
    if (first === undefined) {
      throw new AppError("not_found", "This code does not exist. /docs/errors lists all codes.");
    }
    return sitePage({
      title: `${first.code} · Errors`,
      section: "errors",
      isWide: true,
      body: `<div class="site-in doc ref">
${navigation(listed, first.code)}
<main id="main" class="doc-b doc-span">
<p class="crumb"><a href="/docs/errors">Errors</a>${icon("next", 12)}<a href="/docs/errors#${first.topic}">${TOPICS[first.topic]}</a></p>
<h1><code>${escapeHtml(first.code)}</code></h1>
${kinds.map(kindHtml).join("\n")}</main></div>`,
    });
  },
};

const KIND_PLACES: Readonly<Record<CodeKind, string>> = {
  problem: "The `code` of a problem document.",
  run: "The `error_code` of a run, and the `error.code` of a node, an iteration or an item.",
  warning: "The `code` of an entry in `warnings[]`.",
  "definition issue":
    "The `code` of an entry in `errors[]` or `warnings[]` when a definition is validated.",
};

function kindHtml({ kind, cause, remedy, problem }: ListedCode): string {
  const status = problem === undefined ? "" : `<span class="tag">HTTP ${problem.status}</span>`;
  return `<p class="row wrap small"><span class="tag">${kind}</span>${status}<span class="muted">${proseHtml(KIND_PLACES[kind])}</span></p>
<h2>Cause</h2>
<p class="lede">${proseHtml(cause)}</p>
<h2>Fix</h2>
<p class="lede">${proseHtml(remedy)}</p>`;
}
