/** The HTML and headers of embed pages (docs/embeds.md#pages). */
import manifest from "../../../dist/assets/embed/manifest.json";
import { PAGE_ERRORS, type PageError } from "../../contracts/embeds/page-error.ts";
import {
  directionOf,
  type EmbedPageQuery,
  readPageQuery,
  TOKEN_NAMES,
} from "../../contracts/embeds/page-query.ts";
import type { WebManifest } from "../../contracts/embeds/web-manifest.ts";
import { type PageOpening, PageFailure } from "../../domain/embeds/open-page.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { describeCause } from "../../lib/errors/describe-cause.ts";
import type { AppContext } from "../../platform/context.ts";
import type { Env } from "../../platform/env.ts";
import { readBuiltJson } from "../../platform/read-built-json.ts";
import { escapeHtml } from "../site/html.ts";
import type { ERROR_TEXTS } from "./error-texts.ts";

const { pages }: WebManifest = manifest;

export interface EmbedPageRequest {
  readonly token: string;
  readonly query: EmbedPageQuery;
}

/** The token and the settings of an address. */
export function readEmbedRequest(query: URLSearchParams): EmbedPageRequest {
  const token = TOKEN_NAMES.map((name) => query.get(name) ?? "").find((value) => value !== "");
  return { token: token ?? "", query: readPageQuery(query) };
}

/** A page of the widget or of the editor, or the page that says why there is none. */
export async function embedPage(
  ctx: AppContext,
  product: "widget" | "editor",
  query: EmbedPageQuery,
  open: () => Promise<PageOpening>,
): Promise<Response> {
  const opening = await settled(ctx, open);
  const { refusal, origins, config } = opening;
  const title = opening.workflowName ?? query.name ?? "Edgeloom";
  return refusal === undefined
    ? respond(
        ctx,
        200,
        origins,
        document({ page: product, title, query, origins, config, body: "" }),
      )
    : await errorPage(ctx, query, opening, refusal);
}

/** An error of the service becomes a page as well: the host learns of it at once, and not by a time limit. */
async function settled(ctx: AppContext, open: () => Promise<PageOpening>): Promise<PageOpening> {
  try {
    return await open();
  } catch (thrown) {
    const isKnown = thrown instanceof PageFailure;
    const cause = isKnown ? thrown.cause : thrown;
    ctx.log.error("request_failed", {
      code: cause instanceof AppError ? cause.code : "internal_error",
      reason: describeCause(cause),
    });
    return { origins: isKnown ? thrown.origins : [], refusal: "internal_error" };
  }
}

async function errorPage(
  ctx: AppContext,
  query: EmbedPageQuery,
  { origins, retryAfter }: PageOpening,
  code: PageError,
): Promise<Response> {
  const texts = await readBuiltJson<typeof ERROR_TEXTS>(ctx.env, "embed-errors.json");
  const { errors, reference } = texts[query.locale ?? "en"];
  const [title, advice] = errors[code];
  const body = `<main data-svc-root data-phase="failed"${layoutOf(query)}>
<h1>${escapeHtml(title)}</h1>
<p data-svc-message>${escapeHtml(advice)}</p>
<p>${escapeHtml(reference)}: <code>${escapeHtml(ctx.correlationId)}</code></p>
</main>
`;
  const html = document({ page: "error", title, query, origins, body, code });
  const response = respond(ctx, PAGE_ERRORS[code], origins, html);
  if (code === "too_many_requests") {
    response.headers.set("retry-after", retryAfter ?? "60");
  }
  return response;
}

function layoutOf({ layout }: EmbedPageQuery): string {
  return layout === undefined ? "" : ` data-layout="${layout}"`;
}

interface DocumentParts {
  readonly page: keyof WebManifest["pages"];
  readonly title: string;
  readonly query: EmbedPageQuery;
  readonly origins: readonly string[];
  readonly body: string;
  readonly code?: PageError;
  readonly config?: PageOpening["config"];
}

function document({ page, title, query, origins, body, code, config }: DocumentParts): string {
  const { script, preloads, styles } = pages[page];
  const locale = query.locale ?? "en";
  const theme = query.theme === undefined ? "" : ` data-theme="${query.theme}"`;
  const lines = [
    `<meta charset="utf-8">`,
    `<meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta name="svc-allowed-origins" content="${escapeHtml(origins.join(" "))}">`,
    ...(code === undefined ? [] : [`<meta name="svc-error" content="${code}">`]),
    ...(config === undefined
      ? []
      : [`<meta name="svc-config" content="${escapeHtml(JSON.stringify(config))}">`]),
    `<title>${escapeHtml(title)}</title>`,
    `<link rel="icon" href="/docs/assets/mark.svg" type="image/svg+xml">`,
    ...styles.map((name) => `<link rel="stylesheet" href="/embed/assets/${name}">`),
    ...preloads.map((name) => `<link rel="modulepreload" href="/embed/assets/${name}">`),
    `<script type="module" src="/embed/assets/${script}"></script>`,
  ];
  return `<!doctype html>
<html lang="${locale}" dir="${directionOf(locale)}"${theme}>
<head>
${lines.join("\n")}
</head>
<body>
${body}</body>
</html>
`;
}

function respond(
  ctx: AppContext,
  status: number,
  origins: readonly string[],
  html: string,
): Response {
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyOf(ctx.env, origins),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex",
      "permissions-policy": "camera=(), microphone=(), geolocation=()",
    },
  });
}

/** Scripts, styles and calls of this service only, nothing inline, and a frame on pages of the token's origins only. */
export function policyOf(
  { S3_ENDPOINT }: Pick<Env, "S3_ENDPOINT">,
  origins: readonly string[],
): string {
  // Presigned uploads go to the store itself.
  const store = (S3_ENDPOINT ?? "") === "" ? [] : [new URL(S3_ENDPOINT ?? "").origin];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    ["connect-src 'self'", ...store].join(" "),
    "base-uri 'none'",
    "form-action 'none'",
    ["frame-ancestors 'self'", ...origins].join(" "),
  ].join("; ");
}
