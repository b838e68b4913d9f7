import type { SharedTemplate } from "../../contracts/templates/share-link.ts";
import { verifyToken } from "../../domain/auth/verify-token.ts";
import { readShared } from "../../domain/templates/share/shared-template.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import type { Page, PageRequest } from "../../platform/page.ts";
import { codeBlock, quotedHtml } from "../docs/code-block.ts";
import { escapeHtml } from "../site/html.ts";
import { sitePage } from "../site/site-page.ts";

type Field = SharedTemplate["fields"][number];

const TOKEN_CHARS_MAX = 4_096;
const FAILURES: Readonly<Record<string, { readonly title: string; readonly text: string }>> = {
  unauthorized: {
    title: "Sign in to see this template",
    text: "Its owner shares it with people who have an API key of this service. The key of any workspace is enough.",
  },
  not_found: {
    title: "There is no such share link",
    text: "Check that the address is complete.",
  },
  share_link_closed: {
    title: "This share link is closed",
    text: "It was revoked, has expired or is used up, or its template is archived. Ask for a new link.",
  },
};

/** `/share/{token}`: what a share link shares, and how to import it. */
export const sharePage: Page = {
  path: "/share/{token}",
  operationId: "sharePage",
  respond: async (ctx, request) => {
    const { title, body, status } = await contentOf(ctx, request);
    const page = sitePage({
      title,
      body: `<main id="main" class="site-in doc-b share" data-share>\n${body}</main>`,
    });
    page.headers.set("cache-control", "no-store");
    page.headers.set("x-robots-tag", "noindex");
    return new Response(page.body, { status, headers: page.headers });
  },
};

async function contentOf(ctx: AppContext, { params, headers }: PageRequest) {
  const token = params["token"] ?? "";
  try {
    const shared = await readShared(
      ctx,
      token,
      () => signIn(ctx, headers),
      headers.get("cf-connecting-ip") ?? undefined,
    );
    return { title: shared.name, body: sharedHtml(ctx, shared, token), status: 200 };
  } catch (error) {
    const failure = error instanceof AppError ? FAILURES[error.code] : undefined;
    if (!(error instanceof AppError) || failure === undefined) {
      throw error;
    }
    const { title, text } = failure;
    const button =
      error.code === "unauthorized"
        ? `\n<div><button class="btn btn-primary btn-l" type="button" data-share-sign-in>Sign in</button></div>`
        : "";
    const body = `<h1>${title}</h1>\n<p class="lede">${text}</p>${button}`;
    return { title, body, status: error.status };
  }
}

async function signIn(ctx: AppContext, headers: Headers): Promise<void> {
  const token = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (token === undefined || token.length > TOKEN_CHARS_MAX) {
    throw new AppError("unauthorized", "This share link needs a token.");
  }
  await verifyToken(ctx, token);
}

function sharedHtml({ baseUrl }: AppContext, shared: SharedTemplate, token: string): string {
  const curl = `curl "${baseUrl}/api/v1/design-templates/import" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Idempotency-Key: $(uuidgen)" \\
  --json '{ "share_token": "${token}" }'`;
  const cli = `edgeloom templates import --share-token "${token}"`;
  const facts = [
    `${shared.page_count} ${shared.page_count === 1 ? "page" : "pages"}`,
    ...(shared.imports_left === null
      ? []
      : [`${shared.imports_left} ${shared.imports_left === 1 ? "import" : "imports"} left`]),
    ...(shared.expires_at === null ? [] : [`until ${shared.expires_at.slice(0, 10)}`]),
  ];
  const rows = shared.fields.flatMap((field) => fieldRows(field, ""));
  return `<p class="crumb">Shared design template</p>
<h1>${escapeHtml(shared.name)}</h1>
${shared.description === "" ? "" : `<p class="lede">${escapeHtml(shared.description)}</p>\n`}<p class="muted small">${facts.join(" · ")}</p>
<h2 id="fields">Fields</h2>
${rows.length === 0 ? '<p class="muted">The template has no fields: it prints the same every time.</p>' : `<div class="scroll" tabindex="0" role="group" aria-label="Fields, scrolls"><table aria-label="Fields" class="t-top t-fit"><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Required</th><th scope="col">Name</th></tr></thead><tbody>\n${rows.join("\n")}\n</tbody></table></div>`}
<h2 id="import">Import it</h2>
<p>The import is a draft of your own. Stored pictures and fonts that it uses are copied to your workspace.</p>
${codeBlock(
  "import",
  [
    { label: "curl", html: quotedHtml(curl) },
    { label: "Command line", html: quotedHtml(cli) },
  ],
  { isDark: true, label: "Import the template" },
)}
`;
}

function fieldRows(field: Field, prefix: string): string[] {
  const code = prefix + field.code;
  const name =
    escapeHtml(field.name) +
    (field.description === ""
      ? ""
      : `<br><span class="muted">${escapeHtml(field.description)}</span>`);
  return [
    `<tr><td><code>${escapeHtml(code)}</code></td><td>${field.type}</td><td>${field.required ? "yes" : "no"}</td><td class="wraps">${name}</td></tr>`,
    ...(field.item_keys ?? []).flatMap((key) => fieldRows(key, `${code}[].`)),
  ];
}
