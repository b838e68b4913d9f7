import type { Page } from "../../platform/page.ts";
import { htmlPage } from "./html-page.ts";

/** Swagger UI sets style attributes and draws data: images; scripts and requests stay with this service. */
const SWAGGER_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The API reference: Swagger UI on the service's own OpenAPI document, without outside calls. */
export const referencePage: Page = {
  path: "/docs",
  operationId: "referencePage",
  respond: () =>
    htmlPage({
      title: "Edgeloom API",
      csp: SWAGGER_CSP,
      head: `<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<script src="/docs/assets/swagger-ui-bundle.js" defer></script>
<script src="/docs/assets/reference.js" defer></script>
`,
      body: `<nav class="top"><strong>Edgeloom</strong> · <a href="/docs/errors">Errors</a> · <a href="/swagger/public-v1/swagger.json">OpenAPI document</a></nav>
<div id="reference"><noscript>The reference needs JavaScript; the same content is in the <a href="/swagger/public-v1/swagger.json">OpenAPI document</a>.</noscript></div>`,
    }),
};
