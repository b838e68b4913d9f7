/**
 * Template nodes in runs while a picture of their template is on its way: the run is retried, or its template archived and
 * edited. The picture's address answers when the test lets it, so that nothing depends on the machine's speed.
 */
import "../support/only-in-proof.ts";
import { createHash } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import type { LayoutReport } from "../../src/contracts/templates/layout-report.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import {
  edit,
  filesOf,
  guid,
  node,
  publishNodes,
  publishRevision,
  publishTemplate,
  TEMPLATES,
  uploadFont,
  wordsOf,
} from "../support/node/template-runs.ts";
import { waitUntil } from "../support/wait-until.ts";

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z" fill="red"/></svg>';

let pictures: Server;
let host: string;
let service: RunningService;
/** What the address does with requests, one after the other; then it answers. */
let script: ("fail" | "hold")[] = [];
const held: ServerResponse[] = [];
let requests = 0;

function answer(response: ServerResponse): void {
  if (!response.headersSent) {
    response.writeHead(200, { "content-type": "image/svg+xml" }).end(PICTURE);
  }
}

beforeAll(async () => {
  pictures = createServer((_request, response) => {
    requests += 1;
    const action = script.shift();
    if (action === "hold") {
      held.push(response);
    } else if (action === "fail") {
      response.writeHead(503).end();
    } else {
      answer(response);
    }
  });
  await new Promise<void>((resolve) => {
    pictures.listen(0, "127.0.0.1", resolve);
  });
  host = `127.0.0.1:${(pictures.address() as AddressInfo).port}`;
  service = await startService({ env: { EGRESS_ALLOW_LOOPBACK: host } });
});

afterAll(async () => {
  for (const response of held) {
    answer(response);
  }
  pictures.closeAllConnections();
  pictures.close();
  await service.stop();
});

beforeEach(() => {
  script = [];
  held.length = 0;
  requests = 0;
});

/** A name, and a picture at an address of its own: that of the document, or of the field `logo`. */
function content(label: string, { isField = false, fontFamily = "Noto Sans" } = {}): object {
  const box = { left: 10, width: 180, height: 30 };
  const name = { id: guid(5), name: "Name", code: "name", placeholderType: "text" };
  const logo = {
    id: guid(6),
    name: "Logo",
    code: "logo",
    placeholderType: "image",
    required: true,
  };
  const picture = isField
    ? { placeholder: logo }
    : { src: `http://${host}/${crypto.randomUUID()}.svg` };
  const elements = [
    { $type: "text", id: guid(2), ...box, top: 0, text: label, fontFamily },
    { $type: "text", id: guid(3), ...box, top: 30, text: "Nobody", placeholder: name },
    { $type: "image", id: guid(4), ...box, top: 60, ...picture },
  ];
  return { schemaVersion: "2.0", pages: [{ id: guid(1), width: 200, height: 100, elements }] };
}

const template = (document: object) => publishTemplate(service.client, document);
const workflowOf = (nodes: readonly object[], links: readonly string[]) =>
  publishNodes(service.client, nodes, links);

test("a required picture whose address does not respond at first: one retry, and nothing is charged twice", async () => {
  const template_id = await template(content("Label", { isField: true }));
  const workflow = await workflowOf(
    [
      node("name", "input/text"),
      node("logo", "input/json_value"),
      node("code", "image/code", { symbology: "qr", size: 64 }),
      node("print", "design/template_render", { template_id }),
      node("out", "output/document", { key: "pdf" }),
      node("picture", "output/image", { key: "code" }),
    ],
    [
      "name.text > code.text",
      "name.text > print.name",
      "logo.json > print.assets",
      "print.pdf > out.document",
      "code.image > picture.image",
    ],
  );
  const logo = { logo: `http://${host}/logo.svg` };
  const inputs = {
    name: { value: JSON.stringify("Ada") },
    logo: { value: JSON.stringify(logo) },
  };
  requests = 0;
  script = ["fail"];
  const run = await waitForRun(
    service.client,
    await submitRun(service.client, { workflow, inputs }),
  );
  expect(run, JSON.stringify(run)).toMatchObject({ status: "completed", credits_used: 0.02 });
  expect(requests).toBe(2);
  expect(await wordsOf(await filesOf(service.client, run.id))).toEqual(["Label Ada"]);
  const { nodes } = await service.client.call<{
    nodes: { node_id: string; retry_count: number; state: string }[];
  }>("GET", `/api/v1/executions/${run.id}/trace`);
  expect(nodes.find(({ node_id: id }) => id === "print")).toMatchObject({
    state: "completed",
    retry_count: 1,
  });
  // An address that is never reached fails the node after its last attempt.
  script = ["fail", "fail", "fail", "fail", "fail", "fail", "fail", "fail"];
  const failed = await waitForRun(
    service.client,
    await submitRun(service.client, { workflow, inputs }),
  );
  expect(failed).toMatchObject({
    status: "partial_success",
    error_code: "IMAGE_FAILED",
    credits_used: 0.02,
  });
});

test.each([
  ["design/template_render", "pdf", {}, ["Before Ada", "Before Zoë"]],
  ["document/pdf", "document", {}, ["Before Ada", "Before Zoë"]],
  ["document/pdf", "document", { template_revision: 1 }, ["Before Ada", "Before Zoë"]],
  ["aggregate/pdf", "document", {}, ["Before Ada", "Before Zoë"]],
  ["aggregate/pdf", "document", { template_revision: 1 }, ["Before Ada", "Before Zoë"]],
])(
  "%s prints what it began with (port %s, %o) although the template is edited and archived meanwhile",
  async (type, out, parameters, printed) => {
    const template_id = await template(content("Before"));
    const workflow = await workflowOf(
      [
        node("rows", "input/json"),
        node("name", "utility/json_path", { path: "$.name", output_type: "text" }),
        node("print", type, { template_id, ...parameters }),
        node("out", "output/document", { key: "pdf" }),
      ],
      ["rows.item > name.json", "name.value > print.name", `print.${out} > out.document`],
    );
    script = ["hold"];
    const rows = { value: JSON.stringify([{ name: "Ada" }, { name: "Zoë" }]) };
    const run = await submitRun(service.client, { workflow, inputs: { rows } });
    await waitUntil("the picture's request", () => Promise.resolve(held.length > 0));
    const path = `${TEMPLATES}/${template_id}`;
    await service.client.call("PUT", `${path}/draft/content`, {
      body: content("After"),
      headers: edit(),
    });
    await service.client.call("POST", `${path}/archive`);
    script = [];
    for (const response of held) {
      answer(response);
    }
    const ended = await waitForRun(service.client, run);
    expect(ended, JSON.stringify(ended)).toMatchObject({ status: "completed" });
    expect(await wordsOf(await filesOf(service.client, run))).toEqual(printed);
  },
);

test("utility/merge_pdf joins what was printed although the template is archived before it runs", async () => {
  const template_id = await template(content("Before"));
  const workflow = await workflowOf(
    [
      node("name", "input/text"),
      node("one", "document/pdf", { template_id, template_revision: 1 }),
      node("two", "design/template_render", { template_id }),
      node("join", "utility/merge_pdf"),
      node("out", "output/document", { key: "pdf" }),
    ],
    [
      "name.text > one.name",
      "name.text > two.name",
      "one.document > join.documents",
      "two.pdf > join.documents",
      "join.document > out.document",
    ],
  );
  script = ["hold", "hold"];
  const inputs = { name: { value: JSON.stringify("Ada") } };
  const run = await submitRun(service.client, { workflow, inputs });
  await waitUntil("the picture's request", () => Promise.resolve(held.length > 0));
  await service.client.call("POST", `${TEMPLATES}/${template_id}/archive`);
  script = [];
  for (const response of held) {
    answer(response);
  }
  expect(await waitForRun(service.client, run)).toMatchObject({ status: "completed" });
  expect(await wordsOf(await filesOf(service.client, run))).toEqual(["Before Ada", "Before Ada"]);
});

test("a node that follows compatible revisions prints that of its submission in each element, and later ones in new runs", async () => {
  const revision = (label: string) => content(label, { isField: true });
  const template_id = await template(revision("First"));
  const publishNext = (document: object) => publishRevision(service.client, template_id, document);
  const follows = { template_revision: 1, template_version_policy: "latest_compatible" };
  const workflow = await workflowOf(
    [
      node("rows", "input/json"),
      node("name", "utility/json_path", { path: "$.name", output_type: "text" }),
      node("url", "utility/json_path", { path: "$.url", output_type: "text" }),
      node("logo", "utility/media_from_url", { media_type: "image" }),
      node("print", "design/template_render", { template_id, ...follows }),
      node("out", "output/document", { key: "pdf" }),
      node("report", "output/json", { key: "report" }),
    ],
    [
      "rows.item > name.json",
      "rows.item > url.json",
      "url.value > logo.url",
      "logo.media > print.logo",
      "name.value > print.name",
      "print.pdf > out.document",
      "print.layout_report > report.json",
    ],
  );
  const submitted = () => {
    const rows = ["Ada", "Zoë"].map((name, at) => ({ name, url: `http://${host}/${at}.svg` }));
    const inputs = { rows: { value: JSON.stringify(rows) } };
    return submitRun(service.client, { workflow, inputs });
  };
  const printed = async (run: string) => {
    const ended = await waitForRun(service.client, run);
    expect(ended, JSON.stringify(ended)).toMatchObject({ status: "completed" });
    const { result } = await readResult(service.client, run);
    const revisions = result.by_key["report"]!.items.map(
      ({ value }) => (value as LayoutReport).revision,
    );
    return [revisions, await wordsOf(await filesOf(service.client, run))];
  };
  await publishNext(revision("Second"));
  // One element cannot print before the next revision is there.
  script = ["hold"];
  const run = await submitted();
  await waitUntil("the picture's request", () => Promise.resolve(held.length > 0));
  await publishNext(revision("Third"));
  for (const response of held) {
    answer(response);
  }
  expect(await printed(run)).toEqual([
    [2, 2],
    ["Second Ada", "Second Zoë"],
  ]);
  const third = [
    [3, 3],
    ["Third Ada", "Third Zoë"],
  ];
  expect(await printed(await submitted())).toEqual(third);
  // A retry prints what its source printed, and another version of the workflow what is current by then.
  const again = async (source: string, body: object) => {
    const { id } = await service.client.call<{ id: string }>(
      "POST",
      `/api/v1/executions/${source}/retry`,
      { body: { from: "start", ...body } },
    );
    return { id, printed: await printed(id) };
  };
  const second = [
    [2, 2],
    ["Second Ada", "Second Zoë"],
  ];
  const retried = await again(run, {});
  expect(retried.printed).toEqual(second);
  expect((await again(retried.id, {})).printed).toEqual(second);
  expect((await again(run, { version: 1 })).printed).toEqual(third);
  // A revision without the picture's field is not compatible.
  await publishNext(content("Fourth"));
  expect(await printed(await submitted())).toEqual(third);
  await service.client.call("POST", `${TEMPLATES}/${template_id}/archive`);
  expect((await again(run, {})).printed).toEqual(second);
});

test("nodes print a revision with the fonts that it pinned, whatever becomes of the family; a draft follows it", async () => {
  const font = fileURLToPath(
    new URL(
      "../../node_modules/@expo-google-fonts/noto-serif/400Regular/NotoSerif_400Regular.ttf",
      import.meta.url,
    ),
  );
  const uploaded = await uploadFont(service.client, "House Serif", await readFile(font));
  expect(uploaded.status).toBe(201);
  const { familyGuid } = (await uploaded.json()) as { familyGuid: string };
  const template_id = await template(content("Letters", { fontFamily: "House Serif" }));
  const printers = [
    ["design/template_render", "pdf", {}],
    ["document/pdf", "document", { template_revision: 1 }],
    ["aggregate/pdf", "document", { template_revision: 1 }],
    ["document/pdf", "document", {}],
  ] as const;
  const workflows = await Promise.all(
    printers.map(([type, out, parameters]) =>
      workflowOf(
        [
          node("name", "input/text"),
          node("print", type, { template_id, ...parameters }),
          node("out", "output/document", { key: "pdf" }),
        ],
        ["name.text > print.name", `print.${out} > out.document`],
      ),
    ),
  );
  const inputs = { name: { value: JSON.stringify("Ada") } };
  const printed = async () =>
    await Promise.all(
      workflows.map(async (workflow) => {
        const id = await submitRun(service.client, { workflow, inputs });
        expect(await waitForRun(service.client, id)).toMatchObject({ status: "completed" });
        const [file] = await filesOf(service.client, id);
        return createHash("sha256").update(file!).digest("hex");
      }),
    );
  const before = await printed();
  await service.client.call("POST", `/api/v1/fonts/${familyGuid}/archive`);
  const after = await printed();
  expect(after.slice(0, 3)).toEqual(before.slice(0, 3));
  expect(after[3]).not.toBe(before[3]);
});
