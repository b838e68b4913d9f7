/**
 * Template nodes in runs whose documents, fonts and pictures are hostile, on the real Workers. The build has changes,
 * so that nothing waits for a time limit: renders of the value `endless` and pictures at `/hang` have a short one, layouts
 * of the value `held` go on until their run is cancelled, files
 * whose last byte is `PINNED` were accepted by an earlier check of fonts, and HarfBuzz stops at those that end in `TRAP`.
 */
import "../support/only-in-proof.ts";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiClient } from "../../scripts/api-client.ts";
import { bundleWorkers } from "../../scripts/bundle-workers.ts";
import { freePort } from "../../scripts/free-port.ts";
import { type LocalService, startLocalService } from "../../scripts/local-service.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import type { LayoutReport } from "../../src/contracts/templates/layout-report.ts";
import { inspectFont } from "../../src/formats/font/inspect-font.ts";
import { HOSTILE_FONTS } from "../support/fonts/hostile-fonts.ts";
import { trueType } from "../support/fonts/real-fonts.ts";
import { pngFile, samplePicture } from "../support/images/sample-files.ts";
import { type Edit, otherBuild } from "../support/node/other-build.ts";
import { startedServices } from "../support/node/started-services.ts";
import {
  filesOf,
  guid,
  node,
  publishNodes,
  publishTemplate,
  runTo,
  TEMPLATES,
  uploadFont,
  wordsOf,
} from "../support/node/template-runs.ts";
import { waitUntil } from "../support/wait-until.ts";

const [PINNED, TRAP] = [0xee, 0xdd];
const LATER = [PINNED, TRAP].join(" || bytes.at(-1) === ");
const LAYOUT_HELD = "A layout is held.";
const TIME_MAX =
  'job.request.values.includes("endless") ? 1 : job.request.values.includes("held") ? 3_600_000 : undefined';
const EDITS: readonly Edit[] = [
  {
    file: "src/workers/renderer/document-render.ts",
    from: "  { options }: RenderRequest,\n",
    to: "  { options, values: given }: RenderRequest,\n",
  },
  {
    file: "src/workers/renderer/document-render.ts",
    from: "  let next = starting.next();\n",
    to: `  let next = starting.next();
  for (let i = 0; given.includes("held"); i += 1) {
    if (i === 0) console.log("${LAYOUT_HELD}");
    await scheduler.wait(10);
    await pause(signal);
  }
`,
  },
  {
    file: "src/workers/renderer/render-template.ts",
    from: "render(place, job, files, limited, beganMs));",
    to: `render(place, job, files, limited, beganMs), ${TIME_MAX});`,
  },
  {
    file: "src/workers/renderer/render-collection.ts",
    from: "        pagesOf(ready, limited),\n      );\n    });",
    to: `        pagesOf(ready, limited),\n      );\n    }, ${TIME_MAX});`,
  },
  {
    file: "src/workers/renderer/resources/read-picture.ts",
    from: "      responseTimeoutMs: TIME_MAX_MS,\n      totalTimeoutMs: TIME_MAX_MS,",
    to: '      responseTimeoutMs: TIME_MAX_MS,\n      totalTimeoutMs: address.includes("/hang") ? 200 : TIME_MAX_MS,',
  },
  {
    file: "src/workers/runner/font-checker.ts",
    from: "    const metadata = inspectFont(bytes);\n    await tryFont(bytes, metadata, trial);",
    to: `    const wasAccepted = bytes.at(-1) === ${LATER};
    const metadata = wasAccepted ? ${JSON.stringify(inspectFont(trueType()))} as const : inspectFont(bytes);
    if (!wasAccepted) await tryFont(bytes, metadata, trial);`,
  },
  {
    file: "src/workers/renderer/resources/render-fonts.ts",
    from: "  FILES.set(shaper.open(file.sha256, bytes), file);",
    to: `  if (bytes.at(-1) === ${TRAP}) throw new WebAssembly.RuntimeError("unreachable");
  FILES.set(shaper.open(file.sha256, bytes), file);`,
  },
];

const PNG = pngFile(samplePicture(8, 8));
const MB = 1024 * 1024;

let pictures: Server;
let host: string;
let folder: string;
let service: LocalService;
let client: ApiClient;
/** How many layouts have been held so far. */
let layoutsHeld = 0;

/** Sends pieces until the client has gone. */
function sendForever(response: ServerResponse): void {
  const piece = Buffer.alloc(MB);
  const more = () => {
    while (!response.destroyed && response.write(piece)) {
      // Until the client reads no further.
    }
  };
  response.on("drain", more).writeHead(200);
  more();
}

beforeAll(async () => {
  pictures = createServer((request, response) => {
    const path = request.url ?? "";
    if (path.startsWith("/hang/before") || path.startsWith("/held")) {
      return;
    }
    if (path.startsWith("/hang/middle")) {
      response.writeHead(200, { "content-length": PNG.length }).write(PNG.subarray(0, 20));
    } else if (path.startsWith("/private")) {
      response.writeHead(302, { location: "https://10.0.0.1/a.png" }).end();
    } else if (path.startsWith("/loop")) {
      response.writeHead(302, { location: path }).end();
    } else if (path.startsWith("/html")) {
      response.writeHead(200, { "content-type": "image/png" }).end("<p>No</p>");
    } else if (path.startsWith("/cut")) {
      response.writeHead(200, { "content-type": "image/png" }).end(PNG.subarray(0, -30));
    } else if (path.startsWith("/flood")) {
      sendForever(response);
    } else if (path.startsWith("/reset")) {
      response.writeHead(200, { "content-length": PNG.length });
      response.write(PNG.subarray(0, 20), () => response.destroy());
    } else {
      response.writeHead(200, { "content-type": "text/html" }).end(PNG);
    }
  });
  await new Promise<void>((resolve) => {
    pictures.listen(0, "127.0.0.1", resolve);
  });
  host = `127.0.0.1:${(pictures.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), "edgeloom-faults-"));
  const missing = new Set(EDITS);
  process.env["EGRESS_ALLOW_LOOPBACK"] = host;
  service = await startLocalService({
    port: await freePort(),
    directory: folder,
    logTo: new Writable({
      write: (chunk, _encoding, done) => {
        layoutsHeld += String(chunk).split(LAYOUT_HELD).length - 1;
        done();
      },
    }),
    loadWorkers: (vars) => bundleWorkers(vars, [otherBuild(EDITS, missing)]),
  });
  delete process.env["EGRESS_ALLOW_LOOPBACK"];
  startedServices.add(new URL(service.baseUrl).origin);
  expect([...missing]).toEqual([]);
  client = new ApiClient(service.credentials);
});

afterAll(async () => {
  pictures.closeAllConnections();
  pictures.close();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const box = (n: number) => ({ left: 10, top: 30 * n, width: 180, height: 30 });

function page(...elements: readonly object[]): object {
  return {
    schemaVersion: "2.0",
    pages: [{ id: guid(1), width: 200, height: 400, elements }],
  };
}

/** A name; the value `endless` shows a picture whose address never responds. */
function label(fontFamily = "Noto Sans"): object {
  const name = { id: guid(5), name: "Name", code: "name", placeholderType: "text" };
  const boxed = { $type: "text", ...box(0), text: "", fontFamily };
  const condition = { field: "name", operator: "equals", value: "endless" };
  const held = { $type: "image", ...box(1), src: `http://${host}/held.png`, condition };
  return page({ id: guid(2), ...boxed, placeholder: name }, { id: guid(3), ...held });
}

/** A workflow that prints `name` with a node. */
async function printer(type: string, out: string, template_id: string): Promise<string> {
  return await publishNodes(
    client,
    [
      node("name", "input/text"),
      node("said", "output/text", { key: "said" }),
      node("print", type, { template_id }),
      node("out", "output/document", { key: "pdf" }),
    ],
    ["name.text > said.text", "name.text > print.name", `print.${out} > out.document`],
  );
}

const digestOf = async (run: string) => {
  const [file] = await filesOf(client, run);
  return createHash("sha256").update(file!).digest("hex");
};

interface Trace {
  readonly nodes: readonly { node_id: string; state: string; retry_count: number }[];
}
const printOf = async (run: string) => {
  const { nodes } = await client.call<Trace>("GET", `/api/v1/executions/${run}/trace`);
  return nodes.find(({ node_id: id }) => id === "print");
};

describe("a render that takes longer than its time", () => {
  test.each([
    ["design/template_render", "pdf"],
    ["document/pdf", "document"],
    ["aggregate/pdf", "document"],
  ])("fails %s with NODE_TIMEOUT, once, and nothing besides", async (type, out) => {
    const workflow = await printer(type, out, await publishTemplate(client, label()));
    const before = await digestOf((await runTo(client, workflow, { name: "Ada" })).id);
    const run = await runTo(client, workflow, { name: "endless" });
    expect(run).toMatchObject({ status: "partial_success", error_code: "NODE_TIMEOUT" });
    expect(await printOf(run.id)).toMatchObject({ state: "failed", retry_count: 0 });
    const { result } = await readResult(client, run.id);
    expect(result.by_key["said"]).toMatchObject({ state: "present" });
    expect(await digestOf((await runTo(client, workflow, { name: "Ada" })).id)).toBe(before);
  });
});

describe("a run that is cancelled in the middle of a layout", () => {
  test.each([
    ["design/template_render", "pdf"],
    ["document/pdf", "document"],
    ["aggregate/pdf", "document"],
  ])(
    "ends %s, and the renderer is free for renders that wait and for the next",
    async (type, out) => {
      const template_id = await publishTemplate(client, label());
      const workflow = await printer(type, out, template_id);
      const before = await digestOf((await runTo(client, workflow, { name: "Ada" })).id);
      const heldBefore = layoutsHeld;
      const inputs = { name: { value: JSON.stringify("held") } };
      const run = await submitRun(client, { workflow, inputs });
      await waitUntil("the layout", () => Promise.resolve(layoutsHeld > heldBefore));
      const waiting = client.send("POST", `${TEMPLATES}/${template_id}/versions/1/render`, {
        body: { values: { name: "Ada" } },
      });
      await client.call("POST", `/api/v1/executions/${run}/cancel`);
      expect(await waitForRun(client, run)).toMatchObject({ status: "cancelled" });
      const made = await waiting;
      expect(made.status).toBe(200);
      expect(await wordsOf([new Uint8Array(await made.arrayBuffer())])).toEqual(["Ada"]);
      expect(await digestOf((await runTo(client, workflow, { name: "Ada" })).id)).toBe(before);
    },
  );
});

describe("a font that an upload refuses, and that a revision has pinned", () => {
  const bytesOf = (name: string) => {
    const made = HOSTILE_FONTS.find((font) => font.name === name);
    return made!.make();
  };
  const endingIn = (bytes: Uint8Array, last: number) => Uint8Array.of(...bytes, 0, 0, 0, last);

  test.each([
    "a glyph made of itself",
    "ten to the sixteenth parts",
    "sixty million points in a file of 30 KB",
    "subroutines that double ten times over",
  ])("prints each character or counts it: %s", async (name) => {
    const bytes = bytesOf(name);
    const refused = await uploadFont(client, name, bytes);
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: "FONT_INVALID" }]);
    expect((await uploadFont(client, name, endingIn(bytes, PINNED))).status).toBe(201);
    const template_id = await publishTemplate(client, label(name));
    const run = await runTo(client, await printer("design/template_render", "pdf", template_id), {
      name: "Ada",
    });
    expect(run).toMatchObject({ status: "completed" });
    expect(await wordsOf(await filesOf(client, run.id))).toEqual(["Ada"]);
  });

  test("fails the node where HarfBuzz stops at it, and the next render is unharmed", async () => {
    const plain = await printer("document/pdf", "document", await publishTemplate(client, label()));
    const before = await digestOf((await runTo(client, plain, { name: "Ada" })).id);
    // What publishing renders must not stop, so the family gets its revision afterwards.
    const uploaded = await uploadFont(client, "Stops", endingIn(trueType(), TRAP));
    expect(uploaded.status).toBe(201);
    const created = await client.call<{ id: string }>("POST", TEMPLATES, {
      body: { name: "Stops", content: label("Stops") },
      headers: { "idempotency-key": crypto.randomUUID() },
    });
    for (const [type, out] of [
      ["document/pdf", "document"],
      ["aggregate/pdf", "document"],
    ] as const) {
      const run = await runTo(client, await printer(type, out, created.id), { name: "Ada" });
      expect(run).toMatchObject({
        status: "partial_success",
        error_code: "TEMPLATE_NOT_AVAILABLE",
      });
      expect(await printOf(run.id)).toMatchObject({ state: "failed", retry_count: 0 });
      expect(await digestOf((await runTo(client, plain, { name: "Ada" })).id)).toBe(before);
    }
  });
});

describe("pictures at hostile addresses", () => {
  const CASES = [
    ["https://10.0.0.1/a.png", "refused"],
    ["https://169.254.169.254/latest/meta-data", "refused"],
    ["https://[::ffff:127.0.0.1]/a.png", "refused"],
    ["http://localhost:1/a.png", "refused"],
    ["/private", "refused"],
    ["/loop", "fetch_failed"],
    ["/hang/before", "fetch_failed"],
    ["/hang/middle", "fetch_failed"],
    ["/reset", "fetch_failed"],
    ["/html", "unreadable"],
    ["/cut", "unreadable"],
    ["/flood", "too_large"],
    ["/good", "printed"],
  ] as const;
  const addresses = () =>
    Object.fromEntries(
      CASES.map(([address], i) => [
        `p${i}`,
        address.startsWith("/") ? `http://${host}${address}/${i}.png` : address,
      ]),
    );
  const outcomes = (report: LayoutReport) => {
    const failed = new Map(report.images.map(({ field, reason }) => [field, reason]));
    return CASES.map(([address], i) => [address, failed.get(`p${i}`) ?? "printed"]);
  };
  const document = () =>
    page(
      ...CASES.map((_, i) => ({
        $type: "image",
        id: guid(100 + i),
        ...box(i),
        placeholder: { id: guid(200 + i), name: "P", code: `p${i}`, placeholderType: "image" },
      })),
    );

  test("have their reasons in a run, and in a direct render; the next render is unharmed", async () => {
    const template_id = await publishTemplate(client, document());
    const workflow = await publishNodes(
      client,
      [
        node("values", "input/json_value"),
        node("print", "design/template_render", { template_id }),
        node("out", "output/document", { key: "pdf" }),
        node("report", "output/json", { key: "report" }),
      ],
      [
        "values.json > print.assets",
        "print.pdf > out.document",
        "print.layout_report > report.json",
      ],
    );
    const good = Object.fromEntries(CASES.map((_, i) => [`p${i}`, `http://${host}/good/a.png`]));
    const before = await digestOf((await runTo(client, workflow, { values: good })).id);
    const run = await runTo(client, workflow, { values: addresses() });
    expect(run, JSON.stringify(run)).toMatchObject({ status: "completed" });
    expect(await printOf(run.id)).toMatchObject({ state: "completed", retry_count: 0 });
    const { result } = await readResult(client, run.id);
    expect(outcomes(result.by_key["report"]!.value as LayoutReport)).toEqual(CASES);
    const direct = await client.send("POST", `${TEMPLATES}/${template_id}/versions/1/render`, {
      body: { values: addresses(), include_report: true },
    });
    expect(direct.headers.get("design-layout-status")).toBe("warnings");
    const [, json] = /application\/json[^]*?\r\n\r\n([^]*?)\r\n--/.exec(await direct.text())!;
    expect(outcomes(JSON.parse(json!) as LayoutReport)).toEqual(CASES);
    expect(await digestOf((await runTo(client, workflow, { values: good })).id)).toBe(before);
  });
});
