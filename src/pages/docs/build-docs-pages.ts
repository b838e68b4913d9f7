import type { OpenApiDocument } from "../../contracts/openapi-document.ts";
import type { ListedCode } from "../../domain/errors/listed-code.ts";
import type { Limit } from "../../lib/limits/limit.ts";
import type { DocsPage, NavigationName } from "./docs-page.ts";
import { codeList, codePages, errorList, problemPages } from "./error-pages.ts";
import { limitsPage } from "./limits-page.ts";
import { operationList, operationPages, referencePage } from "./reference-pages.ts";

/** Pages and navigations of the documentation, by name: what `docs-pages.ts` serves. */
export function buildDocsPages(
  document: OpenApiDocument,
  listed: readonly ListedCode[],
  limits: readonly Limit[],
): Readonly<Record<string, DocsPage | string>> {
  const navigations: Readonly<Record<NavigationName, string>> = {
    "reference-list": operationList(document),
    "error-list": codeList(listed),
  };
  return {
    ...navigations,
    reference: referencePage(document),
    errors: errorList(listed),
    limits: limitsPage(limits),
    ...prefixed("operation", operationPages(document)),
    ...prefixed("problem", problemPages(listed)),
    ...prefixed("code", codePages(listed)),
  };
}

function prefixed(prefix: string, pages: ReadonlyMap<string, DocsPage>): Record<string, DocsPage> {
  return Object.fromEntries([...pages].map(([name, page]) => [`${prefix}-${name}`, page]));
}
