/**
 * The form on an operation's page that sends the request from the browser, with the access token of the signed-in user.
 */
import type { OpenApiDocument, OpenApiOperation } from "../../contracts/openapi-document.ts";
import { escapeHtml } from "../site/html.ts";
import { exampleOfMedia } from "./example-of.ts";
import { headerName, resolveSchema, typeWords } from "./schema-rows.ts";

export function tryPanel(
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: OpenApiOperation,
): string {
  const scheme = Object.keys(operation.security[0] ?? {})[0] ?? "none";
  const fields = (operation.parameters ?? []).map((field) => {
    const id = `try-${field.in}-${field.name}`;
    return `<div class="field"><label class="label" for="${escapeHtml(id)}"><code>${escapeHtml(field.in === "header" ? headerName(field.name) : field.name)}</code><span class="opt">${field.required === true ? "required" : escapeHtml(typeWords(document, field.schema))}</span></label>
<input class="input" id="${escapeHtml(id)}" data-place="${field.in}" name="${escapeHtml(field.name)}" autocomplete="off" spellcheck="false"${field.required === true ? " required" : ""}></div>`;
  });
  return `<section class="try" aria-labelledby="try"><h2 id="try">Send it</h2>
<form class="panel stack try-f" data-try data-path="${escapeHtml(path)}" data-method="${method.toUpperCase()}" data-scheme="${escapeHtml(scheme)}">
${fields.join("\n")}${bodyFields(document, operation)}
<div class="row wrap"><span class="grow small muted" data-try-account></span><button class="btn btn-primary" type="submit">Send ${method.toUpperCase()}</button></div>
<div data-try-answer role="status" aria-live="polite"></div>
</form></section>`;
}

function bodyFields(document: OpenApiDocument, operation: OpenApiOperation): string {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type === undefined || media === undefined) {
    return "";
  }
  if (type === "application/json") {
    const text = JSON.stringify(exampleOfMedia(document, media), null, 2);
    const rows = Math.min(16, Math.max(4, text.split("\n").length));
    return `<div class="field"><label class="label" for="try-body">Body<span class="opt">JSON</span></label>
<textarea class="input mono" id="try-body" data-place="body" rows="${rows}" spellcheck="false">${escapeHtml(text)}</textarea></div>`;
  }
  const schema = resolveSchema(document, media.schema ?? {});
  const required = new Set(schema.required);
  const isMultipart = type === "multipart/form-data";
  return Object.entries(schema.properties ?? {})
    .map(([name, property]) => {
      const whole = resolveSchema(document, property);
      const isFile = isMultipart && (name === "file" || name === "files");
      const value = whole.const ?? whole.default;
      const given =
        isFile || value === undefined
          ? ""
          : ` value="${escapeHtml(typeof value === "string" ? value : JSON.stringify(value))}"`;
      return `<div class="field"><label class="label" for="try-form-${escapeHtml(name)}"><code>${escapeHtml(name)}</code><span class="opt">${required.has(name) ? "required" : "optional"}</span></label>
<input class="input" id="try-form-${escapeHtml(name)}" data-place="${isMultipart ? "multipart" : "form"}" name="${escapeHtml(name)}" type="${isFile ? "file" : "text"}"${name === "files" ? " multiple" : ""}${given} autocomplete="off"></div>`;
    })
    .join("\n");
}
