/**
 * Checks that some test has received every documented pair of route and error code of the OpenAPI document, and lists
 * the missing ones. Reads vitest's JSON reports, of one complete run or of several partial runs. A code that no test
 * can cause must not be documented.
 */
import { readFile } from "node:fs/promises";

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly meta?: { readonly answers?: string[] } }[];
  }[];
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<
          Record<
            string,
            {
              readonly schema: {
                readonly allOf?: readonly [
                  unknown,
                  { readonly properties: { readonly code: { readonly enum: readonly string[] } } },
                ];
              };
            }
          >
        >;
      }
    >
  >;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const reports = await Promise.all(
  process.argv.slice(2).map(async (path) => JSON.parse(await readFile(path, "utf8")) as Report),
);
const seen = new Set(
  reports.flatMap(({ testResults }) =>
    testResults.flatMap(({ assertionResults }) =>
      assertionResults.flatMap(({ meta }) => meta?.answers ?? []),
    ),
  ),
);
// Imported by URL, because the Workers' sources are type-checked separately from the scripts.
const source = (path: string) => import(new URL(`../src/api/${path}`, import.meta.url).href);
const { buildOpenApi } = (await source("docs/build-openapi.ts")) as {
  buildOpenApi: (endpoints: unknown, baseUrl: string) => OpenApiDocument;
};
const { ENDPOINTS } = (await source("routes.ts")) as { ENDPOINTS: unknown };
const document = buildOpenApi(ENDPOINTS, "https://svc.example");
const missing: string[] = [];
let pairs = 0;
for (const { operationId, responses } of Object.values(document.paths).flatMap((item) =>
  Object.values(item),
)) {
  for (const [status, { content }] of Object.entries(responses)) {
    if (status === "default") {
      continue; // an open class without guaranteed members
    }
    const codes = content?.["application/problem+json"]?.schema.allOf?.[1].properties.code.enum;
    const wanted = codes?.map((code) => `${operationId} ${status} ${code}`) ?? [
      `${operationId} ${status}`,
    ];
    pairs += wanted.length;
    missing.push(...wanted.filter((pair) => !seen.has(pair)));
  }
}
if (missing.length > 0) {
  console.error(
    "Documented, but received in no test (add a test, or remove the code from its route):",
  );
  console.error(missing.map((pair) => `  ${pair}`).join("\n"));
}
console.log(`${pairs - missing.length} of ${pairs} documented responses were received`);
process.exit(missing.length === 0 && seen.size > 0 ? 0 : 1);
