import { escapeHtml } from "./html.ts";
import { icon, logo } from "./icons.ts";

/** Scripts, styles and requests are limited to this service; inline code is not allowed. */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export type SiteSection = "reference" | "errors" | "limits";

const SECTIONS: readonly {
  readonly id: SiteSection;
  readonly href: string;
  readonly word: string;
}[] = [
  { id: "reference", href: "/docs", word: "API reference" },
  { id: "errors", href: "/docs/errors", word: "Errors" },
  { id: "limits", href: "/docs/limits", word: "Limits" },
];

export interface SitePage {
  readonly title: string;
  /** HTML below the header: one `<main id="main">` and its side columns. */
  readonly body: string;
  readonly section?: SiteSection;
  /** Reference pages are wider than the others. */
  readonly isWide?: boolean;
  readonly description?: string;
}

/** A complete page of the site: header, body, footer and response headers. */
export function sitePage(page: SitePage): Response {
  const title = page.title === "Edgeloom" ? "Edgeloom" : `${page.title} · Edgeloom`;
  const description =
    page.description === undefined
      ? ""
      : `<meta name="description" content="${escapeHtml(page.description)}">\n`;
  const html = `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${description}<link rel="icon" href="/docs/assets/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/assets/site.css">
<script src="/docs/assets/theme.js"></script>
<script src="/docs/assets/site.js" defer></script>
</head>
<body${page.isWide === true ? ' class="wide"' : ""}>
<a class="skip" href="#main">Skip to content</a>
${header(page.section)}
${page.body}
${FOOTER}
</body>
</html>
`;
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": CSP,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "public, max-age=300",
    },
  });
}

function header(section: SiteSection | undefined): string {
  const links = SECTIONS.map(
    ({ id, href, word }) =>
      `<a href="${href}"${id === section ? ' aria-current="page"' : ""}>${word}</a>`,
  ).join("");
  return `<header class="site-h"><div class="site-in row"><a class="row site-logo" href="/" aria-label="Edgeloom, home">${logo(22)}<span>Edgeloom</span></a>
<nav aria-label="Site">${links}</nav><span class="grow"></span>
<button class="btn btn-ghost btn-i btn-s" type="button" data-theme-toggle aria-label="Switch between light and dark">${icon("theme")}</button>
<button class="btn btn-s" type="button" data-sign-in>${icon("key", 14)}<span>Sign in</span></button></div></header>`;
}

const FOOTER = `<footer class="site-f"><div class="site-in"><span class="row muted small">${logo(18)}Edgeloom</span>
<nav aria-label="Footer" class="small"><a href="/docs">API reference</a><a href="/docs/errors">Errors</a><a href="/docs/limits">Limits</a><a href="/swagger/public-v1/swagger.json">OpenAPI document</a><a href="/.well-known/agent-skills/index.json">Agent skills</a></nav></div></footer>`;
