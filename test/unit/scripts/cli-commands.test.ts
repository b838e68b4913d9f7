import { describe, expect, test } from "vitest";
import * as z from "zod";
import { progressText } from "../../../scripts/cli/batch-commands.ts";
import { COMMANDS } from "../../../scripts/cli/commands.ts";
import { GUIDE_KEYS, guideOf } from "../../../scripts/cli/flag-guides.ts";
import { withPlural } from "../../../scripts/cli/main.ts";
import { flagsOf } from "../../../scripts/cli/send-route.ts";
import type { Session } from "../../../scripts/cli/session.ts";
import { RetryExecution } from "../../../src/contracts/runs/retry-request.ts";
import { ENDPOINTS } from "../../../src/api/routes.ts";

/** The CLI has an API key; routes of embed tokens are for pages. */
const documented = ENDPOINTS.filter(
  ({ isUndocumented, access }) =>
    isUndocumented !== true && (typeof access !== "string" || !access.startsWith("embed:")),
);
const routes = COMMANDS.flatMap(({ words, route }) =>
  route === undefined ? [] : [{ words, ...route }],
);

function fieldsOf(schema: z.ZodType | undefined): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

test("runs retry can send every member of a retry, in its form", async () => {
  const sent: { path: string; json: unknown; headers: unknown }[] = [];
  const session = {
    call: (
      _method: string,
      path: string,
      { json, headers }: { json: unknown; headers?: unknown },
    ) => {
      sent.push({ path, json, headers });
      return Promise.resolve({});
    },
  } as unknown as Session;
  const command = COMMANDS.find(({ words }) => words === "runs retry");
  const flags = {
    "from-node": "draw",
    "from-index": ["1", "2,0"],
    version: "draft",
    input: ["topic=Frogs"],
    without: ["note"],
    cache: "read",
    "max-age": "60",
    "max-iterations": "5",
    reference: "again",
    "idempotency-key": "retry-by-hand",
  };
  await command?.run?.(session, { args: ["run_1"], flags });
  await command?.run?.(session, { args: ["run_1"], flags: { "from-start": true, version: "3" } });
  await command?.run?.(session, { args: ["run_1"], flags: {} });
  const body = {
    from_node: "draw",
    from_indices: [[1], [2, 0]],
    version: "draft",
    inputs: { topic: { value: '"Frogs"' }, note: null },
    admission_limits: { max_iterations_per_node: 5 },
    cache: { mode: "read", max_age: 60 },
    client_reference: "again",
  };
  expect(sent.map(({ json }) => json)).toEqual([body, { from: "start", version: 3 }, {}]);
  expect(sent[0]).toMatchObject({
    path: "/api/v1/executions/run_1/retry",
    headers: { "idempotency-key": "retry-by-hand" },
  });
  const members = sent.flatMap(({ json }) => Object.keys(RetryExecution.parse(json)));
  expect([...new Set(members)].toSorted()).toEqual(Object.keys(RetryExecution.shape).toSorted());
});

describe("the commands of the CLI", () => {
  test("reach every route of the service, and no other", () => {
    const reached = new Set(
      COMMANDS.flatMap(({ route, operations }) => operations ?? [route?.operation ?? ""]),
    );
    expect([...reached].toSorted()).toEqual(
      documented.map(({ operationId }) => operationId).toSorted(),
    );
  });

  test("have unique words", () => {
    const words = COMMANDS.map((command) => command.words);
    expect(new Set(words).size).toBe(words.length);
  });

  test("may name their resource in the singular", () => {
    for (const [given, words] of [
      [
        ["batch", "run", "--watch"],
        ["batches", "run", "--watch"],
      ],
      [
        ["batches", "export"],
        ["batches", "export"],
      ],
      [
        ["run", "retry", "run_1"],
        ["runs", "retry", "run_1"],
      ],
      [
        ["run", "diff"],
        ["runs", "diff"],
      ],
      [
        ["schedule", "list"],
        ["schedules", "list"],
      ],
      [["--help"], ["--help"]],
      [
        ["none", "run"],
        ["none", "run"],
      ],
      [[], []],
    ] as const) {
      expect(withPlural(given)).toEqual(words);
    }
    const known = COMMANDS.map(({ words }) => words);
    expect(known).toEqual(
      expect.arrayContaining(["batches run", "batches export", "runs retry", "runs diff"]),
    );
  });

  test("that follow a batch show its counts, and its rate since they began to look", () => {
    const first = { completed: 10, failed: 1, cancelled: 0, total_items: 200 };
    const now = { completed: 50, failed: 3, cancelled: 2, total_items: 200 };
    expect(progressText(now, first, 4_000)).toBe("55 of 200 items, 3 failed, 11.0/s");
    expect(progressText(first, first, 0)).toBe("11 of 200 items, 1 failed, 0.0/s");
  });

  test("say in their help what each flag is for, and no flag that they do not have", () => {
    const flags = COMMANDS.flatMap((command) =>
      Object.keys(flagsOf(command)).map((flag) => [command.words, flag] as const),
    );
    expect(flags.filter(([words, flag]) => guideOf(words, flag) === undefined)).toEqual([]);
    const known = new Set(flags.flatMap(([words, flag]) => [flag, `${words} --${flag}`]));
    expect(GUIDE_KEYS.filter((key) => !known.has(key))).toEqual([]);
  });

  test.each(routes)("$words sends the fields that its route accepts", (route) => {
    const endpoint = documented.find(({ operationId }) => operationId === route.operation);
    if (endpoint === undefined) {
      throw new Error(`no route ${route.operation}`);
    }
    const shape = (path: string) => path.replaceAll(/\{\w+\+?\}/g, "{}");
    expect([route.method.toLowerCase(), shape(route.path)]).toEqual([
      endpoint.method,
      shape(endpoint.path),
    ]);
    expect(fieldsOf(endpoint.request.query)).toEqual(
      expect.arrayContaining([...(route.query ?? [])]),
    );
    expect((route.query ?? []).length, "every query parameter has a flag").toBe(
      fieldsOf(endpoint.request.query).filter((name) => name !== "last_event_id").length,
    );
    const body = endpoint.request.body;
    if (body instanceof z.ZodObject) {
      const sent = Object.values(route.fields ?? {}).map(([field]) => field);
      expect(fieldsOf(body)).toEqual(expect.arrayContaining(sent));
    }
  });
});
