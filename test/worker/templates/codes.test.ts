/**
 * The codes of design templates: a request that receives each, in the order of the refusals
 * (docs/contract/templates.md#edits). `order-of-refusals.test.ts` has requests with several faults.
 */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { ISSUE_SUGGESTIONS } from "../../../src/contracts/workflows/definition-issue.ts";
import { listCodes } from "../../../src/domain/errors/list-codes.ts";
import { ERRORS } from "../../../src/lib/errors/errors.ts";
import { SVG_IMPORT_CODES } from "../../../src/lib/errors/svg-import-codes.ts";
import { newId } from "../../../src/platform/ids.ts";
import { call, newCaller, type Reply } from "../../support/api-caller.ts";
import { ABSENT, CONTENT, PAGE, SET } from "../../support/templates/draft-writes.ts";
import { withFullQueue } from "../../support/templates/keep-renderer-busy.ts";
import {
  documentOf,
  fieldElement,
  guid,
  newKey,
  TemplateApi,
  TEMPLATES,
} from "../../support/templates/template-api.ts";
import { HOME_DB } from "../../support/home-database.ts";

/** Statuses by code; several where the contract has several. */
const PROBLEMS = {
  invalid_id: [400],
  invalid_sample_set_id: [400],
  invalid_status: [400],
  missing_idempotency_key: [400],
  validation_error: [400, 422],
  invalid_revision: [400],
  invalid_argument: [400],
  design_page_selection_invalid: [400],
  not_found: [404],
  idempotency_conflict: [409],
  archived: [409],
  precondition_required: [428],
  precondition_failed: [412],
  page_not_found: [404],
  master_not_found: [404],
  sample_set_not_found: [404],
  content_invalid: [422],
  DESIGN_LINK_INVALID: [422],
  invalid_state: [422],
  publish_not_ready: [422],
  preview_failed: [422],
  render_failed: [422],
  render_too_large: [413],
  design_render_busy: [503],
} as const;

const ISSUES = [
  "missing_template_id",
  "invalid_template_id",
  "invalid_template_revision",
  "template_not_found",
  "template_revision_not_found",
  "template_pin_failed",
  "internal_template_parameter",
  "unknown_port",
  "template_field_not_connected",
] as const;

type ProblemCode = keyof typeof PROBLEMS;

/** Codes of template routes that are those of every route, or belong to imports of drawings, to sharing and to quotas. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...SVG_IMPORT_CODES,
  "forbidden",
  "unauthorized",
  "invalid_request",
  "invalid_options",
  "invalid_idempotency_key",
  "payload_too_large",
  "quota_exceeded",
  "service_unavailable",
  "share_link_closed",
]);

let api: TemplateApi;
/** Of every entry one, never published. */
let id: string;
let archived: string;

beforeAll(async () => {
  api = new TemplateApi(await newCaller());
  ({ id } = await api.made(CONTENT));
  archived = (await api.made(CONTENT)).id;
  await api.send("POST", `${archived}/archive`);
});

const publishedOf = async (document: object): Promise<string> => {
  const made = await api.made(document);
  expect((await api.publish(made.id)).status).toBe(201);
  return made.id;
};
const edit = (method: string, path: string, json?: object, headers: object = {}) =>
  api.send(method, path, { headers: { "if-match": "*", ...headers }, ...(json && { json }) });
const withoutKey = (method: string, path: string, json?: object) =>
  call(method, `${TEMPLATES}${path}`, {
    token: api.token,
    headers: { "if-match": "*" },
    ...(json && { json }),
  });
const render = (json: object, of = id) => api.send("POST", `${of}/draft/render`, { json });
const STALE = '"dd-draft-r9-0000000000000000"';
const RULES = documentOf(
  { ...fieldElement("name", 2, { required: true }), overflowMode: "fail" },
  { $type: "text", id: guid(7), width: 9, height: 9, text: "A" },
);
const preview = async (values: object) => {
  const { id: of } = await api.made({ ...RULES, sampleSets: [{ id: SET, name: "One", values }] });
  return api.get(`${of}/draft/sample-sets/${SET}/exact-preview`);
};
/** More output pages than a render may have. */
const endless = async () => {
  const list = (number: number) => ({
    id: guid(number * 16),
    width: 200,
    height: 100,
    elements: [
      {
        $type: "repeat_region",
        id: guid(number * 16 + 1),
        width: 200,
        height: 90,
        itemHeight: 80,
        overflowMode: "continue",
        children: [],
        placeholder: {
          id: guid(number * 16 + 3),
          name: `rows ${number}`,
          code: `rows_${number}`,
          placeholderType: "list",
        },
      },
    ],
  });
  const made = await api.made({ schemaVersion: "2.0", pages: [1, 2, 3].map(list) });
  const rows = Array.from({ length: 100 }, () => ({}));
  return render({ values: { rows_1: rows, rows_2: rows, rows_3: rows } }, made.id);
};

const NEEDS_RENDERER = [
  "draft",
  "revision",
  "readiness",
  "publish",
  "comparison",
  "preview",
] as const;
type NeedsRenderer = (typeof NEEDS_RENDERER)[number];
let busy: Promise<Readonly<Record<NeedsRenderer, Reply>>> | undefined;

/** The responses of every route that needs the renderer while the workspace has no place left in its queue. */
async function refusedWhileBusy(): Promise<Readonly<Record<NeedsRenderer, Reply>>> {
  const name = fieldElement("name", 2);
  const required = documentOf(fieldElement("name", 2, { required: true }));
  const sampleSets = [{ id: SET, name: "Nothing", values: {} }];
  const blocked = (await api.made({ ...required, sampleSets })).id;
  const template = await publishedOf(documentOf(name));
  const nodes = [
    { id: "print", type: "design/template_render", parameters: { template_id: template } },
  ];
  const workflow = await api.send("POST", "/api/v1/workflows", {
    json: { name: "Prints", definition: { nodes } },
  });
  // A revision that needs more is compared with the pinned one by renders.
  await api.put(template, "*", required);
  expect((await api.publish(template)).status).toBe(201);
  const draft = `${blocked}/draft`;
  const requests: Readonly<Record<NeedsRenderer, () => Promise<Reply>>> = {
    draft: () => render({}),
    revision: () => api.send("POST", `${template}/versions/1/render`, { json: {} }),
    readiness: () => api.get(`${draft}/publish-readiness`),
    publish: () => api.publish(blocked),
    comparison: () => api.get(`/api/v1/workflows/${workflow.json.id}/template-revisions`),
    preview: () => api.get(`${draft}/sample-sets/${SET}/exact-preview?max_page_dimension=64`),
  };
  const replies = await withFullQueue(requests.draft, () =>
    Promise.all(NEEDS_RENDERER.map((one) => requests[one]())),
  );
  for (const { headers } of replies) {
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  return Object.fromEntries(NEEDS_RENDERER.map((one, i) => [one, replies[i]!])) as Record<
    NeedsRenderer,
    Reply
  >;
}

const CASES: Readonly<Record<ProblemCode, readonly (() => Promise<Reply>)[]>> = {
  invalid_id: [
    () => api.get("tpl_1"),
    () => edit("DELETE", `${id}/draft/pages/1`),
    () => edit("DELETE", `${id}/draft/masters/1`),
    () => edit("DELETE", `${id}/draft/elements/1`),
  ],
  invalid_sample_set_id: [
    () => api.get(`${id}/draft/sample-sets/1`),
    () => edit("DELETE", `${id}/draft/sample-sets/1`),
  ],
  invalid_status: [() => api.get(`${TEMPLATES}?status=new`)],
  missing_idempotency_key: [
    () => withoutKey("DELETE", `/${id}/draft/pages/${PAGE}`),
    () => withoutKey("POST", `/${id}/draft/publish`),
    () => withoutKey("POST", `/${id}/duplicate`),
    () => withoutKey("POST", "", { name: "A" }),
  ],
  validation_error: [
    () => edit("POST", TEMPLATES, {}),
    async () => publishedWith({ template_id: newId("template", Date.now()) }),
  ],
  invalid_revision: [
    () => api.get(`${id}/versions/0`),
    () => edit("POST", `${id}/duplicate`, { revision: -1 }),
  ],
  invalid_argument: [() => render({ values: { none: 1 } }), () => render({ output: "paper" })],
  design_page_selection_invalid: [
    () => render({ page_selection: "3-1" }),
    () => render({ page_selection: "9" }),
  ],
  not_found: [
    () => api.get(newId("template", Date.now())),
    () => api.get(`${id}/versions/1`),
    () => edit("DELETE", `${id}/draft/elements/${ABSENT}`),
  ],
  idempotency_conflict: [
    async () => {
      const key = { "idempotency-key": newKey() };
      const made = await api.made(CONTENT);
      await edit("POST", `${made.id}/draft/pages`, { width: 50, height: 50 }, key);
      return edit("POST", `${made.id}/draft/pages`, { width: 60, height: 50 }, key);
    },
  ],
  archived: [
    () => api.send("PATCH", archived, { json: { name: "New" } }),
    () => edit("DELETE", `${archived}/draft/pages/${PAGE}`),
    () => edit("POST", `${archived}/draft/publish`),
    () => edit("POST", `${archived}/revert-to-draft`),
  ],
  precondition_required: [
    () => api.send("DELETE", `${id}/draft/pages/${PAGE}`),
    () => api.send("POST", `${id}/draft/publish`),
  ],
  precondition_failed: [
    () => edit("DELETE", `${id}/draft/pages/${PAGE}`, undefined, { "if-match": STALE }),
    () => api.publish(id, STALE),
  ],
  page_not_found: [
    () => edit("DELETE", `${id}/draft/pages/${ABSENT}`),
    () => edit("POST", `${id}/draft/elements`, { page_id: ABSENT, type: "text" }),
  ],
  master_not_found: [() => edit("DELETE", `${id}/draft/masters/${ABSENT}`)],
  sample_set_not_found: [
    () => edit("DELETE", `${id}/draft/sample-sets/${ABSENT}`),
    () => api.get(`${id}/draft/sample-sets/${ABSENT}/exact-preview`),
  ],
  content_invalid: [
    () => edit("PUT", `${id}/draft/content`, { pages: [] }),
    () => edit("POST", TEMPLATES, { name: "A", content: [] }),
  ],
  DESIGN_LINK_INVALID: [
    () =>
      edit(
        "PUT",
        `${id}/draft/content`,
        documentOf({ ...fieldElement("a", 2), link: { type: "field", field: "none" } }),
      ),
  ],
  invalid_state: [
    () => api.send("POST", `${id}/revert-to-draft`),
    async () => api.send("DELETE", await publishedOf(documentOf())),
  ],
  publish_not_ready: [
    async () => {
      const [, plain] = RULES.pages[0]!.elements;
      return api.publish((await api.made(documentOf({ ...plain, fontFamily: "None" }))).id);
    },
  ],
  preview_failed: [() => preview({ name: "word ".repeat(500) })],
  render_failed: [
    async () => render({}, (await api.made(RULES)).id),
    async () => render({ values: { name: "word ".repeat(500) } }, (await api.made(RULES)).id),
  ],
  render_too_large: [endless],
  design_render_busy: NEEDS_RENDERER.map((name) => async () => {
    busy ??= refusedWhileBusy();
    return (await busy)[name];
  }),
};

const AT = "nodes[1].parameters";

interface Issue {
  readonly code: string;
  readonly path: string;
  readonly node_id: string;
  readonly suggestion: string;
}

/** The answer to the publication of a workflow with one node that prints a template. */
async function publishedWith(
  parameters: object,
  { type = "design/template_render", port = "price" } = {},
): Promise<Reply> {
  const out = type === "design/template_render" ? "pdf" : "document";
  const definition = {
    nodes: [
      { id: "text", type: "input/text" },
      { id: "print", type, parameters },
      { id: "out", type: "output/document" },
    ],
    connections: [
      { from: { node: "text", port: "text" }, to: { node: "print", port } },
      { from: { node: "print", port: out }, to: { node: "out", port: "document" } },
    ],
  };
  const { json } = await api.send("POST", "/api/v1/workflows", {
    json: { name: "Prints", definition },
  });
  return api.send("POST", `/api/v1/workflows/${json.id}/publish`);
}

const PRICE = documentOf(fieldElement("price", 2));
const ISSUE_CASES: Readonly<
  Record<(typeof ISSUES)[number], readonly (readonly [path: string, () => Promise<Reply>])[]>
> = {
  missing_template_id: [[`${AT}.template_id`, () => publishedWith({})]],
  invalid_template_id: [[`${AT}.template_id`, () => publishedWith({ template_id: "label" })]],
  invalid_template_revision: [
    [
      `${AT}.template_revision`,
      async () => publishedWith({ template_id: await publishedOf(PRICE), template_revision: 0 }),
    ],
  ],
  template_not_found: [
    [
      `${AT}.template_id`,
      async () => publishedWith({ template_id: (await api.made(PRICE)).id, template_revision: 1 }),
    ],
    [
      `${AT}.template_id`,
      () => publishedWith({ template_id: newId("template", Date.now()) }, { type: "document/pdf" }),
    ],
  ],
  template_revision_not_found: [
    [
      `${AT}.template_revision`,
      async () => publishedWith({ template_id: await publishedOf(PRICE), template_revision: 2 }),
    ],
  ],
  template_pin_failed: [
    [
      `${AT}.template_revision`,
      async () => {
        const template_id = await publishedOf(documentOf(fieldElement("price", 77)));
        const { results } = await HOME_DB.prepare(
          "SELECT folder FROM design_template_versions WHERE template_id = ?",
        )
          .bind(template_id)
          .all<{ folder: string }>();
        const { objects } = await env.FILES.list({ prefix: results[0]!.folder });
        await env.FILES.delete(objects.map(({ key }) => key));
        return publishedWith({ template_id });
      },
    ],
  ],
  internal_template_parameter: [
    [
      `${AT}.contentHash`,
      async () => publishedWith({ template_id: await publishedOf(PRICE), contentHash: "x" }),
    ],
  ],
  unknown_port: [
    [
      "connections[0].to.port",
      async () => publishedWith({ template_id: await publishedOf(PRICE) }, { port: "prize" }),
    ],
  ],
  template_field_not_connected: ["document/pdf", "aggregate/pdf"].map(
    (type) =>
      [
        `${AT}.template_id`,
        async () => {
          const both = documentOf(
            fieldElement("price", 2),
            fieldElement("name", 3, { required: true }),
          );
          return publishedWith({ template_id: await publishedOf(both) }, { type });
        },
      ] as const,
  ),
};

describe("the code", () => {
  test.each(Object.entries(PROBLEMS))("%s is received", async (code, statuses) => {
    const replies = await Promise.all(CASES[code as ProblemCode].map((send) => send()));
    for (const reply of replies) {
      const named = code === "DESIGN_LINK_INVALID" ? reply.json.errors[0].code : reply.json?.code;
      expect([named, statuses.includes(reply.status as never)], reply.text).toEqual([code, true]);
    }
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set(statuses));
  });

  test.each(ISSUES)("%s of a definition keeps it from being published", async (code) => {
    for (const [path, publish] of ISSUE_CASES[code]) {
      const { status, json, text } = await publish();
      expect([status, json.code], text).toEqual([422, "validation_error"]);
      const found = (json.errors as Issue[]).find((issue) => issue.code === code);
      expect(found, text).toMatchObject({ path, node_id: "print", suggestion: expect.any(String) });
    }
  });
});

/** Codes that are used and that no case receives. */
function withoutCase(used: readonly string[], cases: readonly object[]): readonly string[] {
  const received = new Set(cases.flatMap((one) => Object.keys(one)));
  return [...new Set(used)].filter((code) => !received.has(code) && !ELSEWHERE.has(code));
}

describe("no code is left out", () => {
  /** Of the table of the contract, of the service's own topic, and what the routes declare. */
  const used = [
    ...Object.keys(PROBLEMS),
    ...ISSUES,
    ...listCodes()
      .filter(({ kind, topic }) => kind === "problem" && topic === "templates")
      .map(({ code }) => code),
    ...Object.keys(ISSUE_SUGGESTIONS).filter((code) => /^[a-z_]*template/.test(code)),
    ...ENDPOINTS.filter(({ path }) => path.startsWith(TEMPLATES)).flatMap(({ errors }) => errors),
  ];
  const all = [CASES, ISSUE_CASES];

  test("of those that the contract has and the routes declare", () => {
    expect(withoutCase(used, all)).toEqual([]);
    for (const [code, statuses] of Object.entries(PROBLEMS)) {
      if (code in ERRORS) {
        expect(statuses).toContain(ERRORS[code as keyof typeof ERRORS].status);
      }
    }
  });

  test("which is found for each that has no case", () => {
    for (const left of [...Object.keys(PROBLEMS), ...ISSUES]) {
      const others = all.map((cases) =>
        Object.fromEntries(Object.entries(cases).filter(([code]) => code !== left)),
      );
      expect(withoutCase(used, others)).toEqual([left]);
    }
  });
});
