import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
} from "../../contracts/openapi-document.ts";
import { escapeHtml, paragraphsHtml, proseHtml, slugOf } from "../site/html.ts";
import { icon } from "../site/icons.ts";
import { codeBlock, jsonHtml } from "./code-block.ts";
import { type DocsPage, NAVIGATION_HERE } from "./docs-page.ts";
import { exampleOfMedia } from "./example-of.ts";
import { navigationHtml } from "./navigation.ts";
import { requestSamples } from "./request-samples.ts";
import { fieldRow, fieldRows, headerName } from "./schema-rows.ts";
import { tryPanel } from "./try-panel.ts";

interface Located {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

function operationsOf(document: OpenApiDocument): readonly Located[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

function addressOf({ operation }: Located): string {
  return `/docs/reference/${operation.operationId}`;
}

/** Each operation has a page of its own, which is named after it. */
export function operationPages(document: OpenApiDocument): ReadonlyMap<string, DocsPage> {
  return new Map(
    operationsOf(document).map((located) => [
      located.operation.operationId,
      operationPage(document, located),
    ]),
  );
}

/** The first page of the reference: how to start, and all operations by subject. */
export function referencePage(document: OpenApiDocument): DocsPage {
  const groups = byTag(document).map(
    ({ tag, operations }) =>
      `<section aria-labelledby="${slugOf(tag.name)}"><h2 id="${slugOf(tag.name)}">${escapeHtml(tag.name)}</h2>
${tag.description === undefined ? "" : `<p class="small muted">${proseHtml(tag.description)}</p>`}
<ul class="ops">${operations
        .map(
          (located) =>
            `<li><a href="${addressOf(located)}">${verb(located.method)}<code>${pathHtml(located.path)}</code><span>${escapeHtml(located.operation.summary)}</span></a></li>`,
        )
        .join("\n")}</ul></section>`,
  );
  return {
    title: "API reference",
    section: "reference",
    isWide: true,
    description: "Every operation of the Edgeloom API.",
    navigation: { name: "reference-list", label: "All operations" },
    body: `<div class="site-in doc ref">
${NAVIGATION_HERE}
<main id="main" class="doc-b doc-span">
<h1>API reference</h1>
${paragraphsHtml(document.info.description ?? "", "lede")}
<div class="note info">${icon("info")}<span>Sign in with the <code>client_id</code> and <code>client_secret</code> of an API key to send requests from these pages. The service on your machine keeps its key in <code>.edgeloom/credentials.json</code>.</span></div>
<div class="doc-2">
${codeBlock("start", [{ label: "Get a token", html: START_SAMPLE }], { isDark: true, label: "Get a token" })}
${codeBlock("submit", [{ label: "Submit and wait", html: SUBMIT_SAMPLE }], { isDark: true, label: "Submit and wait" })}
</div>
${groups.join("\n")}
</main></div>`,
  };
}

const START_SAMPLE = `curl <span class="s">"$EDGELOOM_URL/api/v1/auth/token"</span> \\
  -u <span class="s">"$CLIENT_ID:$CLIENT_SECRET"</span> \\
  -d <span class="s">"grant_type=client_credentials"</span>`;

const SUBMIT_SAMPLE = `curl <span class="s">"$EDGELOOM_URL/api/v1/executions"</span> \\
  -H <span class="s">"Authorization: Bearer $TOKEN"</span> \\
  -H <span class="s">"Idempotency-Key: order-1001"</span> \\
  -H <span class="s">"Prefer: wait=30"</span> \\
  --json <span class="s">'{"workflow": "wf_…", "inputs": {}}'</span>`;

/** Parameters, responses, samples, and a form that sends the request. */
function operationPage(document: OpenApiDocument, located: Located): DocsPage {
  const { path, method, operation } = located;
  const [tag = ""] = operation.tags;
  return {
    title: operation.summary,
    section: "reference",
    isWide: true,
    navigation: { name: "reference-list", href: addressOf(located), label: operation.summary },
    body: `<div class="site-in doc ref">
${NAVIGATION_HERE}
<main id="main" class="doc-b">
<p class="crumb"><a href="/docs">API reference</a>${icon("next", 12)}<a href="/docs#${slugOf(tag)}">${escapeHtml(tag)}</a></p>
<h1>${escapeHtml(operation.summary)}</h1>
<p class="op" tabindex="0">${verb(method)}<code>${pathHtml(path)}</code></p>
${paragraphsHtml(operation.description ?? "", "lede")}
${parameterSection(document, operation, "path", "Path")}
${parameterSection(document, operation, "query", "Query")}
${parameterSection(document, operation, "header", "Headers")}
${bodySection(document, operation)}
${tryPanel(document, path, method, operation)}
${responseSection(document, operation)}
</main>
<aside class="doc-s" aria-label="Samples">
${codeBlock("request", requestSamples(document, path, method, operation), { isDark: true, label: "Request" })}
${responseSamples(document, operation)}
</aside></div>`,
  };
}

function byTag(document: OpenApiDocument) {
  const all = operationsOf(document);
  return document.tags.map((tag) => ({
    tag,
    operations: all.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
}

/** The list of all operations by subject. */
export function operationList(document: OpenApiDocument): string {
  const groups = byTag(document).map(
    ({ tag, operations }) => `<section><h2>${escapeHtml(tag.name)}</h2>
<ul>${operations
      .map(
        (located) =>
          `<li data-words="${escapeHtml(`${located.path} ${located.operation.operationId}`)}"><a href="${addressOf(located)}">${verb(located.method)}<span class="cut">${escapeHtml(located.operation.summary)}</span></a></li>`,
      )
      .join("")}</ul></section>`,
  );
  const none = "No operation has these words.";
  return navigationHtml({ label: "Reference", find: "Find an operation", none }, groups);
}

function parameterSection(
  document: OpenApiDocument,
  operation: OpenApiOperation,
  place: OpenApiParameter["in"],
  heading: string,
): string {
  const fields = (operation.parameters ?? []).filter((field) => field.in === place);
  if (fields.length === 0) {
    return "";
  }
  const rows = fields.map((field) =>
    fieldRow(document, {
      name: place === "header" ? headerName(field.name) : field.name,
      schema: field.schema,
      isRequired: field.required === true,
      description: field.description,
    }),
  );
  return `<h2>${heading}</h2><ul>${rows.join("\n")}</ul>`;
}

function bodySection(document: OpenApiDocument, operation: OpenApiOperation): string {
  const { requestBody } = operation;
  if (requestBody === undefined) {
    return "";
  }
  const [type, media] = Object.entries(requestBody.content)[0] ?? [];
  const rows = fieldRows(document, media?.schema ?? {});
  return `<h2>Body</h2><p class="tiny muted"><code>${escapeHtml(type ?? "")}</code>${requestBody.required === true ? "" : ", optional"}</p>${rows === "" ? "" : `<ul>${rows}</ul>`}`;
}

function responseSection(document: OpenApiDocument, operation: OpenApiOperation): string {
  const rows = Object.entries(operation.responses).map(([status, response]) => {
    const words =
      status.startsWith("2") || status.startsWith("3")
        ? proseHtml(response.description)
        : codesHtml(response.description);
    return `<tr><td class="num"><code>${escapeHtml(status)}</code></td><td>${words}</td></tr>`;
  });
  const fields = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([status, response]) => {
      const media = response.content?.["application/json"];
      const inner = media?.schema === undefined ? "" : fieldRows(document, media.schema);
      return inner === ""
        ? ""
        : `<h2>Fields of <code>${escapeHtml(status)}</code></h2><ul class="answer">${inner}</ul>`;
    });
  return `<h2>Responses</h2>
<div class="scroll" tabindex="0" role="group" aria-label="Responses, scrolls"><table aria-label="Responses" class="t-flush"><tbody>${rows.join("\n")}</tbody></table></div>
${fields.join("\n")}`;
}

/** Error codes as links to their pages. */
function codesHtml(description: string): string {
  return escapeHtml(description).replaceAll(
    /`([a-z_]+)`|`([^`]+)`/g,
    (_all, code?: string, other?: string) =>
      code === undefined
        ? `<code>${other ?? ""}</code>`
        : `<a href="/docs/public-api/errors/${code.replaceAll("_", "-")}"><code>${code}</code></a>`,
  );
}

function responseSamples(document: OpenApiDocument, operation: OpenApiOperation): string {
  const tabs = Object.entries(operation.responses).flatMap(([status, response]) => {
    const media = response.content?.["application/json"];
    return status.startsWith("2") && media !== undefined
      ? [{ label: status, html: jsonHtml(withId(exampleOfMedia(document, media), operation)) }]
      : [];
  });
  return tabs.length === 0 ? "" : codeBlock("response", tabs, { isDark: true, label: "Response" });
}

/** Prefixes of the ids that the operations of a subject return as `id`. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  Executions: "run",
  Workflows: "wf",
  "Workflow folders": "fld",
  "Design templates": "tpl",
};

/** Replaces the example's `id`, alone or in a list, with one that has the prefix of its resource. */
function withId(example: unknown, operation: OpenApiOperation): unknown {
  const prefix = ID_PREFIXES[operation.tags[0] ?? ""];
  if (prefix === undefined || typeof example !== "object" || example === null) {
    return example;
  }
  const id = `${prefix}_0190f3a27c1e70008000000000000000`;
  const named = (one: object) => ("id" in one ? { ...one, id } : one);
  const data = "data" in example && Array.isArray(example.data) ? example.data : undefined;
  return data === undefined ? named(example) : { ...example, data: data.map(named) };
}

function verb(method: string): string {
  const name = method.toUpperCase();
  return `<span class="verb" data-m="${name}">${name === "DELETE" ? "DEL" : name}</span>`;
}

function pathHtml(path: string): string {
  return escapeHtml(path).replaceAll(/\{[^}]+\}/g, (name) => `<b>${name}</b>`);
}
