import { AppError } from "../../lib/errors.ts";
import type { Page } from "../../platform/page.ts";

const CSS = `:root{color-scheme:light}body{margin:0;font:16px/1.55 system-ui,sans-serif;color:#1c2430;background:#fff}
main{max-width:46rem;margin:0 auto;padding:1.5rem 1rem 4rem}nav{margin:0 0 1rem}nav.top{padding:.8rem 1.25rem;margin:0;border-bottom:1px solid #dde2ea}
h1{line-height:1.2}code{font:.92em ui-monospace,monospace;background:#f1f3f7;padding:.1em .3em;border-radius:3px;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.5rem .6rem;border-bottom:1px solid #dde2ea}a{color:#0b57d0}
`;

const REFERENCE_JS = `window.addEventListener("load",function(){window.SwaggerUIBundle({url:"/swagger/public-v1/swagger.json",dom_id:"#reference",deepLinking:true,validatorUrl:null,defaultModelsExpandDepth:0})});
`;

const OWN_FILES: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map([
  ["docs.css", { type: "text/css; charset=utf-8", text: CSS }],
  ["reference.js", { type: "text/javascript; charset=utf-8", text: REFERENCE_JS }],
]);

/** Files of the swagger-ui-dist package that the reference page loads; nothing else of it is served. */
const SWAGGER_FILES: ReadonlyMap<string, string> = new Map([
  ["swagger-ui-bundle.js", "text/javascript; charset=utf-8"],
  ["swagger-ui.css", "text/css; charset=utf-8"],
]);

/** Style sheets and scripts of the docs pages. */
export const docsAsset: Page = {
  path: "/docs/assets/{file}",
  operationId: "docsAsset",
  respond: async (ctx, { params }) => {
    const name = params["file"] ?? "";
    const own = OWN_FILES.get(name);
    if (own !== undefined) {
      return file(own.text, own.type);
    }
    const type = SWAGGER_FILES.get(name);
    if (type !== undefined) {
      // The host of an assets binding means nothing; the path is the file.
      const found = await ctx.env.ASSETS?.fetch(`http://assets/${name}`);
      if (found?.ok === true) {
        return file(found.body, type);
      }
      await found?.body?.cancel();
    }
    throw new AppError("not_found", "There is no such file.");
  },
};

function file(body: BodyInit | null, type: string): Response {
  return new Response(body, {
    headers: {
      "content-type": type,
      "cache-control": "public, max-age=3600",
      "x-content-type-options": "nosniff",
    },
  });
}
