/**
 * Every pair of route and code in the OpenAPI document has been answered in some test: reads which
 * were from vitest's JSON reports, those of several partial runs as well as that of a whole one, and
 * names the others. What no test can bring about has no business in the document.
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
// By address and not by name: the Workers' sources are typed apart from the scripts.
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
      continue; // an open class, of which no member is promised
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
  console.error("Documented, and answered in no test (write one, or take the code off its route):");
  console.error(missing.map((pair) => `  ${pair}`).join("\n"));
}
console.log(`${pairs - missing.length} of ${pairs} documented answers were seen`);
process.exit(missing.length === 0 && seen.size > 0 ? 0 : 1);
