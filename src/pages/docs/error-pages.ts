import { type CodeKind, type ListedCode, TOPICS } from "../../domain/errors/listed-code.ts";
import { type ErrorCode, ERRORS } from "../../lib/errors/errors.ts";
import { STATUS_TITLES } from "../../lib/errors/status-titles.ts";
import { BUILT_ORIGIN } from "../../platform/built-origin.ts";
import { escapeHtml, proseHtml } from "../site/html.ts";
import { icon } from "../site/icons.ts";
import { codeBlock, jsonHtml } from "./code-block.ts";
import { type DocsPage, NAVIGATION_HERE } from "./docs-page.ts";
import { navigationHtml } from "./navigation.ts";

/** The address in a problem's `type`; every other code has its page beside the list. */
function addressOf(code: string): string {
  return Object.hasOwn(ERRORS, code)
    ? `/docs/public-api/errors/${code.replaceAll("_", "-")}`
    : `/docs/errors/${code}`;
}

function byTopic(listed: readonly ListedCode[]) {
  return [...Map.groupBy(listed, ({ topic }) => topic)];
}

/** The list of all codes by subject. */
export function codeList(listed: readonly ListedCode[]): string {
  const groups = byTopic(listed).map(
    ([topic, codes]) =>
      `<section><h2>${TOPICS[topic]}</h2><ul>${[...new Set(codes.map(({ code }) => code))]
        .map((code) => `<li><a href="${addressOf(code)}"><code class="cut">${code}</code></a></li>`)
        .join("")}</ul></section>`,
  );
  return navigationHtml(
    { label: "Errors", find: "Find a code", none: "No code has these words." },
    groups,
  );
}

/** Every error code in one table. Its roles are written out: on narrow screens its rows are blocks, not table rows. */
export function errorList(listed: readonly ListedCode[]): DocsPage {
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
  return {
    title: "Errors",
    section: "errors",
    isWide: true,
    description: "Every error code of the Edgeloom API.",
    navigation: { name: "error-list", label: "All codes" },
    body: `<div class="site-in doc ref">
${NAVIGATION_HERE}
<main id="main" class="doc-b doc-span">
<h1>Errors</h1>
<p class="lede">Every failure is a problem document (<code>application/problem+json</code>). Branch on <code>code</code>; <code>detail</code> is written for people and may change; quote <code>request_id</code> to support. Runs that fail, warnings and issues of definitions have codes of their own.</p>
${tables.join("\n")}</main></div>`,
  };
}

/** Pages at the `type` addresses of problems, by the last part of their address: cause and fix. */
export function problemPages(listed: readonly ListedCode[]): ReadonlyMap<string, DocsPage> {
  return new Map(
    listed
      .filter(({ kind }) => kind === "problem")
      .map((guide) => [guide.code.replaceAll("_", "-"), problemPage(guide)]),
  );
}

function problemPage(guide: ListedCode): DocsPage {
  // A problem has one of these codes.
  const code = guide.code as ErrorCode;
  const { status, retryable } = ERRORS[code];
  const example = {
    type: `${BUILT_ORIGIN}${addressOf(code)}`,
    title: STATUS_TITLES[status],
    status,
    detail: "…",
    code,
    instance: "/api/v1/…",
    request_id: "0190f3a2-7c1e-7000-8000-5b7e90c2d4aa",
  };
  return {
    title: `${code} · Errors`,
    section: "errors",
    isWide: true,
    navigation: { name: "error-list", href: addressOf(code), label: code },
    body: `<div class="site-in doc ref">
${NAVIGATION_HERE}
<main id="main" class="doc-b">
<p class="crumb"><a href="/docs/errors">Errors</a>${icon("next", 12)}${status}</p>
<h1><code>${escapeHtml(code)}</code></h1>
<p class="row wrap small"><span class="tag">HTTP ${status}</span><span class="muted">${retryable ? "A retry can help." : "A retry of the same request does not help."}</span></p>
<h2>Cause</h2>
<p class="lede">${proseHtml(guide.cause)}</p>
<h2>Fix</h2>
<p class="lede">${proseHtml(guide.remedy)}</p></main>
<aside class="doc-s" aria-label="Sample">${codeBlock("problem", [{ label: `${status} ${code}`, html: jsonHtml(example) }], { isDark: true, label: "Problem document" })}</aside></div>`,
  };
}

/** Pages of codes, each with its meaning in each of its kinds. */
export function codePages(listed: readonly ListedCode[]): ReadonlyMap<string, DocsPage> {
  const byCode = Map.groupBy(listed, ({ code }) => code);
  return new Map([...byCode].map(([code, kinds]) => [code, codePage(code, kinds)]));
}

function codePage(code: string, kinds: readonly ListedCode[]): DocsPage {
  const [first] = kinds;
  if (first === undefined) {
    throw new TypeError(`${code} has no kind.`);
  }
  return {
    title: `${code} · Errors`,
    section: "errors",
    isWide: true,
    navigation: { name: "error-list", href: addressOf(code), label: code },
    body: `<div class="site-in doc ref">
${NAVIGATION_HERE}
<main id="main" class="doc-b doc-span">
<p class="crumb"><a href="/docs/errors">Errors</a>${icon("next", 12)}<a href="/docs/errors#${first.topic}">${TOPICS[first.topic]}</a></p>
<h1><code>${escapeHtml(code)}</code></h1>
${kinds.map(kindHtml).join("\n")}</main></div>`,
  };
}

const KIND_PLACES: Readonly<Record<CodeKind, string>> = {
  problem: "The `code` of a problem document.",
  run: "The `error_code` of a run, and the `error.code` of a node, an iteration or an item.",
  batch: "The `error_code` of a batch.",
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
