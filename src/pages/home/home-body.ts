/** The text of the home page, which the assets have as `home-body.json`: it is the same for everyone. */
import { MEDIA_KIND_NAMES, mediaKind } from "../../contracts/media/media-kinds.ts";
import { codeBlock, quotedHtml } from "../docs/code-block.ts";
import { icon, type IconName, statePill } from "../site/icons.ts";
import { heroGraph } from "./hero-graph.ts";

const SUBMIT_CURL = `TOKEN=$(curl -s "$EDGELOOM_URL/api/v1/auth/token" \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d "grant_type=client_credentials" | jq -r .access_token)

curl "$EDGELOOM_URL/api/v1/executions" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Idempotency-Key: order-1001" \\
  -H "Prefer: wait=30" \\
  --json '{
    "workflow": "wf_…",
    "inputs": { "name": { "value": "\\"Ada\\"" } }
  }'`;

const SUBMIT_TYPESCRIPT = `const response = await fetch(\`\${url}/api/v1/executions\`, {
  method: "POST",
  headers: {
    "Authorization": \`Bearer \${token}\`,
    "Content-Type": "application/json",
    "Idempotency-Key": "order-1001",
    "Prefer": "wait=30",
  },
  body: JSON.stringify({
    workflow: "wf_…",
    inputs: { name: { value: JSON.stringify("Ada") } },
  }),
});
const { id, status } = await response.json();`;

const SUBMIT_PYTHON = `import json, requests

response = requests.post(
    f"{url}/api/v1/executions",
    headers={
        "Authorization": f"Bearer {token}",
        "Idempotency-Key": "order-1001",
        "Prefer": "wait=30",
    },
    json={
        "workflow": "wf_…",
        "inputs": {"name": {"value": json.dumps("Ada")}},
    },
)
print(response.json()["status"])`;

const WAYS: readonly {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  readonly href: string;
  readonly link: string;
}[] = [
  {
    icon: "terminal",
    title: "HTTP API",
    text: "Idempotency keys, exact credits, and problem documents with instructions to fix the request.",
    href: "/docs",
    link: "API reference",
  },
  {
    icon: "json",
    title: "OpenAPI document",
    text: "Every operation, schema and error of this service, for client generators and importers.",
    href: "/swagger/public-v1/swagger.json",
    link: "OpenAPI 3.1",
  },
  {
    icon: "bell",
    title: "Webhooks",
    text: "Signed by Standard Webhooks, retried for 24 hours, replayable from the API.",
    href: "/docs#webhooks",
    link: "Webhook operations",
  },
  {
    icon: "info",
    title: "Errors",
    text: "One page for each code: the cause, whether a retry helps, and the fix.",
    href: "/docs/errors",
    link: "All errors",
  },
];

const DIAMOND = '<path d="M6 .6 11.4 6 6 11.400.6 6Z"/>';
const CIRCLE = '<circle cx="6" cy="6" r="5"/>';
const SHAPES = {
  square: '<rect x="1.3" y="1.3" width="9.4" height="9.4" rx="1.5"/>',
  page: '<path d="M1.8 1.200h5.400L10.700 4.600v6.200H1.800Z"/>',
};

const PORT_TYPES: readonly (readonly [IconName, string])[] = [
  ["text", CIRCLE],
  ["number", CIRCLE],
  ["boolean", CIRCLE],
  ["json", DIAMOND],
  ["url", DIAMOND],
  ["dataset", DIAMOND],
  ...MEDIA_KIND_NAMES.map((kind) => [kind, SHAPES[mediaKind(kind).icon.shape]] as const),
  ["any", '<circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" stroke-width="2"/>'],
];

export const HOME_BODY = `<main id="main">
<section class="site-in lead"><div class="lead-t">
<h1>Run typed media graphs over HTTP</h1>
<p>Build a workflow once from typed nodes. Publish it, then call it like any other endpoint, on one item or on ten thousand.</p>
<div class="row wrap"><a class="btn btn-primary btn-l" href="/docs">API reference</a><a class="btn btn-l" href="/swagger/public-v1/swagger.json">OpenAPI document</a></div></div></section>
<section class="site-in">${heroGraph()}<p class="tiny muted hero-cap">An example: a text and a code for each of the 3,376 airports in the sample data.</p></section>
<section class="site-in two"><div>
<h2>One call, every result</h2>
<p class="muted">Submit JSON. Wait for the answer, follow the event stream, or receive a signed webhook. The service handles retries, leases and credits.</p>
<dl class="nums"><div><dt>States that a run can end in</dt><dd>${statePill("completed", "Completed")}${statePill("partial_success", "Partial success")}${statePill("failed", "Failed")}${statePill("cancelled", "Cancelled")}</dd></div>
<div><dt>When three of a thousand items fail</dt><dd>the other 997 are kept, and the trace names the three</dd></div>
<div><dt>Cost</dt><dd>reserved before the work starts, never exceeded, the rest released</dd></div></dl></div>
${codeBlock(
  "submit",
  [
    { label: "curl", html: quotedHtml(SUBMIT_CURL) },
    { label: "TypeScript", html: quotedHtml(SUBMIT_TYPESCRIPT) },
    { label: "Python", html: quotedHtml(SUBMIT_PYTHON) },
  ],
  { isDark: true, label: "Submit a run" },
)}</section>
<section class="site-in"><h2>Where to go</h2><ul class="ways">${WAYS.map(
  (way) =>
    `<li><span class="way-i">${icon(way.icon)}</span><h3>${way.title}</h3><p class="small muted">${way.text}</p><a class="small" href="${way.href}">${way.link}</a></li>`,
).join("\n")}</ul></section>
<section class="site-in two typed"><div><h2>Typed connections</h2>
<p class="muted">Twelve port types, checked when a definition is saved and again when it runs. Shape, color and name identify each type.</p></div>
<ul class="types">${PORT_TYPES.map(
  ([name, shape]) =>
    `<li class="p-${name}"><svg class="pt" width="12" height="12" viewBox="0 0 12 12" fill="currentColor" aria-hidden="true">${shape}</svg>${icon(name, 14)}<code>${name}</code></li>`,
).join("")}</ul></section>
</main>`;
