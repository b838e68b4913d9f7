/** Pages of the documentation: `scripts/build-assets.ts` writes them (`build-docs-pages.ts`), and these routes fill in what depends on the request. */
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { BUILT_ORIGIN } from "../../platform/built-origin.ts";
import type { Page } from "../../platform/page.ts";
import { findBuiltJson, readBuiltJson } from "../../platform/read-built-json.ts";
import { escapeHtml } from "../site/html.ts";
import { sitePage } from "../site/site-page.ts";
import { type DocsPage, LABEL_HERE, NAVIGATION_HERE } from "./docs-page.ts";

/** Names of operations and codes; no path can be made of them. */
const NAME = /^[\w-]{1,100}$/;

/** The first page of the reference: how to start, and all operations by subject. */
export const referencePage = pageOf("/docs", "referencePage", "reference");

/** The page of one operation: parameters, responses, samples, and a form that sends it. */
export const operationPage = pagesOf(
  "/docs/reference/{operation}",
  "operationPage",
  "operation",
  "This operation does not exist. /docs lists all operations.",
);

/** Every error code in one table. */
export const errorList = pageOf("/docs/errors", "errorListPage", "errors");

/** The page at a problem's `type` address: cause and fix. */
export const errorGuide = pagesOf(
  "/docs/public-api/errors/{code}",
  "errorGuidePage",
  "problem",
  "This error does not exist. /docs/errors lists all errors.",
);

/** The page of a code, with its meaning in each of its kinds. */
export const codeGuide = pagesOf(
  "/docs/errors/{code}",
  "codeGuidePage",
  "code",
  "This code does not exist. /docs/errors lists all codes.",
);

/** All limits by group. */
export const limitsPage = pageOf("/docs/limits", "limitsPage", "limits");

function pageOf(path: Page["path"], operationId: string, file: string): Page {
  return {
    path,
    operationId,
    respond: async (ctx) => await served(ctx, await readBuiltJson(ctx.env, `docs/${file}.json`)),
  };
}

/** Pages whose files have this prefix and the name in the path. */
function pagesOf(path: Page["path"], operationId: string, prefix: string, none: string): Page {
  return {
    path,
    operationId,
    respond: async (ctx, { params }) => {
      const [name = ""] = Object.values(params);
      const page = NAME.test(name)
        ? await findBuiltJson<DocsPage>(ctx.env, `docs/${prefix}-${name}.json`)
        : undefined;
      if (page === undefined) {
        throw new AppError("not_found", none);
      }
      return await served(ctx, page);
    },
  };
}

async function served(ctx: AppContext, page: DocsPage): Promise<Response> {
  const { navigation } = page;
  const list =
    navigation === undefined
      ? ""
      : marked(await readBuiltJson<string>(ctx.env, `docs/${navigation.name}.json`), navigation);
  const origin = escapeHtml(ctx.baseUrl);
  const body = page.body
    .replace(NAVIGATION_HERE, () => list)
    .replaceAll(BUILT_ORIGIN, () => origin);
  return sitePage({ ...page, body });
}

function marked(
  list: string,
  { href, label }: Required<Pick<DocsPage, "navigation">>["navigation"],
): string {
  const link = `<a href="${href}">`;
  return list
    .replace(link, () => `<a href="${href}" aria-current="page">`)
    .replace(LABEL_HERE, () => escapeHtml(label));
}
