/** The same request in each language of the reference. */
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
} from "../../contracts/openapi-document.ts";
import { exampleOf, exampleOfMedia } from "./example-of.ts";
import type { CodeTab } from "./code-block.ts";
import { quotedHtml } from "./code-block.ts";

interface Request {
  readonly method: string;
  /** The path with example values, and required query fields. */
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  /** JSON text, or the fields of a form. */
  readonly body?: string;
  readonly form?: readonly (readonly [string, string])[];
}

export function requestSamples(
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: OpenApiOperation,
): CodeTab[] {
  const request = sampleRequest(document, path, method, operation);
  return [
    { label: "curl", html: quotedHtml(curl(request)) },
    { label: "TypeScript", html: quotedHtml(typescript(request)) },
    { label: "Python", html: quotedHtml(python(request)) },
  ];
}

/** The example value of a parameter. */
function valueOf(document: OpenApiDocument, parameter: OpenApiParameter): string {
  const value = parameter.example ?? exampleOf(document, parameter.schema);
  return typeof value === "string" && value !== "string" ? value : `{${parameter.name}}`;
}

function sampleRequest(
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: OpenApiOperation,
): Request {
  const parameters = operation.parameters ?? [];
  const query = parameters.filter((field) => field.in === "query" && field.required === true);
  const suffix =
    query.length === 0
      ? ""
      : `?${query.map((field) => `${field.name}=${valueOf(document, field)}`).join("&")}`;
  const scheme = Object.keys(operation.security[0] ?? {})[0];
  const authorization: Readonly<Record<string, string>> = {
    bearer: "Bearer $TOKEN",
    oauth2: "Bearer $TOKEN",
    operator: "Bearer $ADMIN_TOKEN",
    client: "Basic $CREDENTIALS",
  };
  const headers: (readonly [string, string])[] = [];
  if (scheme !== undefined) {
    headers.push(["Authorization", authorization[scheme] ?? "Bearer $TOKEN"]);
  }
  for (const field of parameters.filter((one) => one.in === "header" && one.required === true)) {
    headers.push([field.name, valueOf(document, field)]);
  }
  const base = { method: method.toUpperCase(), path: path + suffix, headers };
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type === undefined || media === undefined) {
    return base;
  }
  const example = exampleOfMedia(document, media);
  if (type === "application/json") {
    return { ...base, body: JSON.stringify(example, null, 2) };
  }
  const fields = Object.entries(example as Readonly<Record<string, unknown>>);
  return {
    ...base,
    form: fields.map(([name, value]) => [
      name,
      name === "file" || name === "files" ? "@picture.png" : String(value),
    ]),
  };
}

function curl({ method, path, headers, body, form }: Request): string {
  const lines = [
    `curl ${method === "GET" || method === "POST" ? "" : `-X ${method} `}"$EDGELOOM_URL${path}"`,
    ...headers.map(([name, value]) =>
      value.startsWith("Basic ") ? '-u "$CLIENT_ID:$CLIENT_SECRET"' : `-H "${name}: ${value}"`,
    ),
    ...(body === undefined ? [] : [`--json '${body.replaceAll("'", String.raw`'\''`)}'`]),
    ...(form ?? []).map(([name, value]) =>
      value.startsWith("@") ? `-F "${name}=${value}"` : `-d "${name}=${value}"`,
    ),
    ...(method === "POST" && body === undefined && form === undefined ? ["-X POST"] : []),
  ];
  return lines.join(" \\\n  ");
}

function typescript({ method, path, headers, body, form }: Request): string {
  const given = [
    ...headers.map(([name, value]) => `    "${name}": \`${asTemplate(value)}\`,`),
    ...(body === undefined ? [] : ['    "Content-Type": "application/json",']),
  ];
  const lines = [
    ...(form === undefined
      ? []
      : [
          "const form = new FormData();",
          ...form.map(([name, value]) =>
            value.startsWith("@")
              ? `form.set("${name}", await openAsBlob("${value.slice(1)}"), "${value.slice(1)}");`
              : `form.set("${name}", "${value}");`,
          ),
          "",
        ]),
    `const response = await fetch(\`\${url}${path}\`, {`,
    `  method: "${method}",`,
    ...(given.length === 0 ? [] : ["  headers: {", ...given, "  },"]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indent(body)}),`]),
    ...(form === undefined ? [] : ["  body: form,"]),
    "});",
    "console.log(response.status, await response.text());",
  ];
  return lines.join("\n");
}

/** `Bearer $TOKEN` as the inner part of a template literal. */
function asTemplate(value: string): string {
  return value
    .replace("$CREDENTIALS", "${btoa(`${clientId}:${clientSecret}`)}")
    .replace("$ADMIN_TOKEN", "${adminToken}")
    .replace("$TOKEN", "${token}");
}

function python({ method, path, headers, body, form }: Request): string {
  const isBasic = headers.some(([, value]) => value.startsWith("Basic "));
  const given = headers
    .filter(([, value]) => !value.startsWith("Basic "))
    .map(
      ([name, value]) =>
        `"${name}": f"${value.replace("$ADMIN_TOKEN", "{admin_token}").replace("$TOKEN", "{token}")}"`,
    );
  const lines = [
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    `    f"{url}${path}",`,
    ...(isBasic ? ["    auth=(client_id, client_secret),"] : []),
    ...(given.length === 0 ? [] : [`    headers={${given.join(", ")}},`]),
    ...(body === undefined ? [] : [`    json=${indent(pythonLiteral(body), 4)},`]),
    ...(form === undefined
      ? []
      : [
          `    ${form.some(([, value]) => value.startsWith("@")) ? "files" : "data"}={${form
            .map(([name, value]) =>
              value.startsWith("@")
                ? `"${name}": open("${value.slice(1)}", "rb")`
                : `"${name}": "${value}"`,
            )
            .join(", ")}},`,
        ]),
    ")",
    "print(response.status_code, response.text)",
  ];
  return lines.join("\n");
}

/** JSON in Python syntax: replaces literals outside strings. */
function pythonLiteral(json: string): string {
  const words: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" };
  return json.replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (part) => words[part] ?? part,
  );
}

function indent(text: string, by = 2): string {
  return text.replaceAll("\n", `\n${" ".repeat(by)}`);
}
