import * as z from "zod";
import { Problem } from "../../contracts/problem.ts";
import { type Scope, SCOPES } from "../../contracts/workspaces/access.ts";
import {
  BatchFinishedEvent,
  ExecutionFinishedEvent,
  WebhookTestEvent,
} from "../../contracts/webhooks/webhook-events.ts";
import {
  BATCH_FINISHED_EVENT,
  FINISHED_EVENT,
  TEST_EVENT,
} from "../../contracts/webhooks/webhook.ts";
import { type ErrorCode, ERRORS } from "../../lib/errors/errors.ts";
import {
  embedPermission,
  type EndpointDeclaration,
  type ResponseSpec,
} from "../endpoint-declaration.ts";
import { refusesUnknownQuery } from "../parse-request.ts";
import { TAGS } from "../tags.ts";
import { withCreationAnswers } from "./document-creation.ts";
import { headersOf, limitHeadersOf, retryHeadersOf } from "./document-headers.ts";
import { SchemaCollector } from "./schema-collector.ts";

type Json = Record<string, unknown>;

/** Recorded requests and responses of a real service, by operation (`scripts/record-examples.ts`). */
export type RecordedExamples = Readonly<
  Record<
    string,
    { readonly request?: unknown; readonly status: number; readonly response?: unknown }
  >
>;

/** Builds the OpenAPI 3.1 document of these endpoints from the schemas that parse their requests. */
export function buildOpenApi(
  endpoints: readonly EndpointDeclaration[],
  baseUrl: string,
  examples: RecordedExamples = {},
): Json {
  const collector = new SchemaCollector();
  collector.add(Problem, "output", "Problem");
  const documented = endpoints
    .filter((endpoint) => endpoint.isUndocumented !== true)
    .map((endpoint) => withCreationAnswers(endpoint));
  const paths: Record<string, Json> = {};
  for (const endpoint of documented) {
    (paths[endpoint.path.replaceAll("+}", "}")] ??= {})[endpoint.method] = operation(
      endpoint,
      collector,
      examples,
    );
  }
  const used = new Set<string>(documented.map((endpoint) => endpoint.tag));
  const tags = Object.entries(TAGS).filter(([name]) => used.has(name));
  return {
    openapi: "3.1.0",
    info: {
      title: "Edgeloom API",
      version: "1",
      description:
        "Runs workflows: graphs of typed nodes, submitted with inputs and polled until they are terminal. Every error is a problem document; branch on its `code`.",
      license: { name: "Proprietary", url: `${baseUrl}/docs` },
    },
    servers: [{ url: baseUrl }],
    tags: tags.map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooksOf(collector, examples),
    components: {
      schemas: collector.components,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "An access token of `POST /api/v1/auth/token`.",
        },
        oauth2: {
          type: "oauth2",
          description: "The same access token, requested with the credentials of an API key.",
          flows: {
            clientCredentials: {
              tokenUrl: `${baseUrl}/api/v1/auth/token`,
              scopes: Object.fromEntries(SCOPES.map((scope) => [scope, scopeText(scope)])),
            },
          },
        },
        embed: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "An embed token of `POST /api/v1/embed/tokens`.",
        },
        client: {
          type: "http",
          scheme: "basic",
          description: "The `client_id` and `client_secret` of an API key.",
        },
        operator: { type: "http", scheme: "bearer", description: "The deployment's ADMIN_TOKEN." },
      },
    },
  };
}

function operation(
  endpoint: EndpointDeclaration,
  collector: SchemaCollector,
  examples: RecordedExamples,
): Json {
  const { request, access } = endpoint;
  const parameters = [
    ...parametersOf("path", request.params, endpoint, collector),
    ...parametersOf("query", request.query, endpoint, collector),
    ...parametersOf("header", request.headers, endpoint, collector),
  ];
  const needs =
    typeof access === "string"
      ? [embedPermission(access)]
          .flatMap((name) => (name === undefined ? [] : [`\`${name}\``]))
          .join("")
      : [access.scope, access.permission]
          .filter((name) => name !== null)
          .map((name) => `\`${name}\``)
          .join(" and ");
  const description = [
    endpoint.description ?? `${endpoint.summary}.`,
    needs === "" ? "" : `Requires ${needs}.`,
  ]
    .filter((text) => text !== undefined && text !== "")
    .join("\n\n");
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    ...(description !== "" && { description }),
    tags: [endpoint.tag],
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...requestBodyOf(endpoint, collector, examples),
    responses: { ...responsesOf(endpoint, collector, examples), ...problemsOf(endpoint) },
  };
}

function securityOf({ access, errors }: EndpointDeclaration): Json[] {
  if (access === "operator") {
    return [{ operator: [] }];
  }
  if (access === "public") {
    return errors.includes("invalid_client") ? [{ client: [] }] : [];
  }
  if (typeof access === "string") {
    return [{ embed: [] }];
  }
  return [{ bearer: [] }, { oauth2: access.scope === null ? [] : [access.scope] }];
}

function scopeText(scope: Scope): string {
  const [resource = "", verb = ""] = scope.split(":");
  return `${verb === "read" ? "Read" : "Change"} ${resource}.`;
}

/** Every event that an endpoint receives, with the schema of its body. */
function webhooksOf(collector: SchemaCollector, examples: RecordedExamples): Record<string, Json> {
  return Object.fromEntries(
    EVENTS.map(({ type, schema, operationId, summary, description }) => [
      type,
      {
        post: {
          operationId,
          summary,
          description: `${description} Signed by the headers \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`.`,
          tags: ["Webhooks"],
          security: [],
          requestBody: {
            required: true,
            content: {
              "application/cloudevents+json": {
                schema: collector.add(schema, "output", upperFirst(operationId)),
                ...exampleOf(examples[operationId]?.request),
              },
            },
          },
          responses: {
            "2XX": { description: "Received. Every other response except 410 is retried." },
            "410": { description: "Gone: the endpoint is disabled." },
          },
        },
      },
    ]),
  );
}

const EVENTS = [
  {
    type: FINISHED_EVENT,
    schema: ExecutionFinishedEvent,
    operationId: "executionFinishedEvent",
    summary: "An execution has ended",
    description:
      "Sent once for each run that becomes completed, partial_success, failed or cancelled.",
  },
  {
    type: BATCH_FINISHED_EVENT,
    schema: BatchFinishedEvent,
    operationId: "batchFinishedEvent",
    summary: "A batch has ended",
    description:
      "Sent once for each attempt that ends, to endpoints whose `event_types` name it. The runs of its items have events of their own.",
  },
  {
    type: TEST_EVENT,
    schema: WebhookTestEvent,
    operationId: "webhookTestEvent",
    summary: "A test of an endpoint",
    description: "Sent once for each requested test. It is not retried.",
  },
] as const;

function parametersOf(
  place: "path" | "query" | "header",
  schema: z.ZodType | undefined,
  endpoint: EndpointDeclaration,
  collector: SchemaCollector,
): Json[] {
  if (schema === undefined) {
    return [];
  }
  const whole = collector.add(schema, "input", upperFirst(endpoint.operationId));
  const required = new Set(whole.required ?? []);
  return Object.entries(whole.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = property as { description?: string };
    return {
      name,
      in: place,
      required: place === "path" || required.has(name),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

function requestBodyOf(
  endpoint: EndpointDeclaration,
  collector: SchemaCollector,
  examples: RecordedExamples,
): Json {
  const { request, rawBody } = endpoint;
  const [contentType, schema] =
    rawBody === undefined
      ? ["application/json", request.body]
      : [rawBody.contentType, rawBody.schema];
  if (schema === undefined) {
    return {};
  }
  const body = collector.add(schema, "input", upperFirst(endpoint.operationId));
  return {
    requestBody: {
      required: request.isBodyOptional !== true,
      content: {
        [contentType]: {
          schema: body,
          ...exampleOf(
            endpoint.example ?? examples[endpoint.exampleOf ?? endpoint.operationId]?.request,
          ),
        },
      },
    },
  };
}

function exampleOf(example: unknown): { example?: unknown } {
  return example === undefined ? {} : { example };
}

function responsesOf(
  endpoint: EndpointDeclaration,
  collector: SchemaCollector,
  examples: RecordedExamples,
): Record<string, Json> {
  const answers: Record<string, Json> = {};
  for (const [status, spec] of Object.entries(endpoint.responses)) {
    answers[status] = {
      description: spec.description,
      headers: { ...headersOf(spec), ...limitHeadersOf(endpoint) },
      ...contentOf(endpoint, Number(status), spec, collector, examples),
    };
  }
  return answers;
}

function contentOf(
  endpoint: EndpointDeclaration,
  status: number,
  spec: ResponseSpec,
  collector: SchemaCollector,
  examples: RecordedExamples,
): Json {
  const found = examples[endpoint.exampleOf ?? endpoint.operationId];
  const example = exampleOf(found?.status === status ? found.response : spec.example);
  if (spec.body !== undefined) {
    const schema = collector.add(spec.body, "output", upperFirst(endpoint.operationId));
    return { content: { [spec.contentType ?? "application/json"]: { schema, ...example } } };
  }
  return spec.contentType === undefined
    ? {}
    : { content: { [spec.contentType]: { schema: { type: "string" }, ...example } } };
}

/** One response per status, with the codes that it can have. */
function problemsOf(endpoint: EndpointDeclaration): Record<string, Json> {
  const pairs = codesOf(endpoint).map((code) => ({
    code,
    status: endpoint.errorStatuses?.[code] ?? ERRORS[code].status,
  }));
  const { status: ofField } = ERRORS.validation_error;
  if (
    refusesUnknownQuery(endpoint.path) &&
    !pairs.some(({ code, status }) => code === "validation_error" && status === ofField)
  ) {
    pairs.push({ code: "validation_error", status: ofField });
  }
  const answers: Record<string, Json> = {};
  for (const [status, found] of Map.groupBy(pairs, ({ status: of }) => of)) {
    const codes = found.map(({ code }) => code);
    const headers = { ...limitHeadersOf(endpoint), ...retryHeadersOf(status) };
    answers[String(status)] = {
      description: codes.map((code) => `\`${code}\``).join(", "),
      ...(Object.keys(headers).length > 0 && { headers }),
      content: {
        "application/problem+json": {
          schema: {
            allOf: [
              { $ref: "#/components/schemas/Problem" },
              { type: "object", properties: { code: { enum: codes } } },
            ],
          },
        },
      },
    };
  }
  // Codes that any request can have: `internal_error`, `service_unavailable`.
  answers["default"] = {
    description: "Any other error, for example `internal_error`",
    headers: limitHeadersOf(endpoint),
    content: {
      "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
    },
  };
  return answers;
}

function codesOf({ access, request, rawBody, errors }: EndpointDeclaration): ErrorCode[] {
  const codes = new Set<ErrorCode>(errors);
  if (request.body !== undefined) {
    codes.add("invalid_request").add("payload_too_large").add("unsupported_media_type");
  }
  if (rawBody !== undefined) {
    codes.add("unsupported_media_type");
  }
  // Malformed ids in the path are `invalid_id`; the endpoint handles headers itself.
  if (request.body !== undefined || hasFieldToRefuse(request)) {
    codes.add("validation_error");
  }
  for (const code of Object.values(request.codes ?? {})) {
    codes.add(code);
  }
  if (access === "operator") {
    // Forbidden: embed tokens.
    codes.add("unauthorized").add("not_found").add("forbidden");
  } else if (access !== "public") {
    codes.add("unauthorized").add("too_many_requests");
    if (typeof access === "string") {
      // Tokens of editors, permissions that the token lacks, and a plan without embeds.
      codes.add("forbidden").add("insufficient_scope").add("plan_limit_exceeded");
      return [...codes].toSorted();
    }
    // Runtime embed tokens, and the tokens of editors under a plan without embeds; `api_key_required` where both are refused.
    if (access.needsApiKey !== true) {
      codes.add("forbidden");
    }
    codes.add("plan_limit_exceeded");
    if (access.scope !== null || access.permission !== null) {
      codes.add("insufficient_scope");
    }
  }
  return [...codes].toSorted();
}

/**
 * Whether some query parameter that is sent twice is rejected with the general code, because it has no code of its own.
 */
function hasFieldToRefuse({ query, codes }: EndpointDeclaration["request"]): boolean {
  return (
    query instanceof z.ZodObject &&
    Object.entries<z.ZodType>(query.shape).some(
      ([name, field]) =>
        !Object.hasOwn(codes ?? {}, `query.${name}`) && !field.safeParse(["", ""]).success,
    )
  );
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
