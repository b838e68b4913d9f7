/** A render whose layout takes long ends when its task is cancelled, and other work of the isolate goes on meanwhile. */
import { beforeAll, expect, test, vi } from "vitest";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { buildEdited, type Edit } from "../../simulation/planted/build-edited.ts";
import { testInProof } from "../../support/in-proof.ts";
import { madeInNode, renderRequest } from "../../support/render/node-renderer.ts";
import { templateRequest } from "../../support/render/template-request.ts";
import { documentOf, field } from "../../support/templates/layout-kit.ts";

type Renderer = typeof import("../../support/render/node-renderer.ts");

const text = (more: object) => ({ $type: "text", width: 180, height: 20, text: "Short", ...more });
const SMALL = documentOf([[text({})]]) as unknown as JsonValue;
/** One page, laid out in several slices, of which each takes longer than a pause. */
const long = (texts: number) =>
  documentOf([
    Array.from({ length: texts }, (_, number) =>
      text({ fontSize: 100, text: `${number} `.repeat(9_000 / `${number} `.length) }),
    ),
  ]) as unknown as JsonValue;
/** One list whose rows are as high as their texts: the pages are counted by a layout. */
const COUNTED = documentOf([
  [
    {
      $type: "repeat_region",
      width: 200,
      height: 290,
      itemHeight: 10,
      fitItemHeight: true,
      overflowMode: "continue",
      placeholder: field("rows", "list"),
      children: [
        text({ height: 10, fixedHeight: false, fontSize: 1, placeholder: field("t", "text") }),
      ],
    },
  ],
]) as unknown as JsonValue;
const ROWS = { rows: Array.from({ length: 60 }, (_, row) => ({ t: `${row} `.repeat(3_000) })) };

beforeAll(async () => {
  await madeInNode(SMALL, {});
});

/** Cancels when the render lets other work of the isolate go on for the second time. */
async function cancelled(document: JsonValue, values: JsonValue, { renderRequest: render } = own) {
  const task = new AbortController();
  const reason = new Error("The run was cancelled.");
  const request = await templateRequest(document, values);
  let pauses = 0;
  const { scheduler } = globalThis as unknown as { scheduler: { wait(ms: number): Promise<void> } };
  const wait = scheduler.wait.bind(scheduler);
  const pausing = vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => {
    pauses += 1;
    if (pauses === 2) {
      task.abort(reason);
    }
    await wait(ms);
  });
  try {
    const made = await render(request, task.signal);
    return made.ok ? "made" : made.code;
  } catch (error) {
    return error === reason ? "cancelled" : error;
  } finally {
    pausing.mockRestore();
  }
}
const own: Pick<Renderer, "renderRequest"> = { renderRequest };

test("in the middle of a page", async () => {
  expect(await cancelled(long(60), {})).toBe("cancelled");
});

test("in the middle of counting pages", async () => {
  expect(await cancelled(COUNTED, ROWS)).toBe("cancelled");
});

test("and the next render is what it was", async () => {
  const { pdf } = await madeInNode(SMALL, {});
  await cancelled(long(60), {});
  expect((await madeInNode(SMALL, {})).pdf).toEqual(pdf);
});

const FAULTS: readonly Edit[] = [
  {
    file: "src/templates/layout/slices.ts",
    from: "SLICE_CHARACTERS = 100_000",
    to: "SLICE_CHARACTERS = Number.POSITIVE_INFINITY",
  },
  {
    file: "src/workers/renderer/document-render.ts",
    from: "  await scheduler.wait(0);\n  signal.throwIfAborted();",
    to: "  signal.throwIfAborted();",
  },
];
testInProof.each(FAULTS)("does not end with the fault in $file", async (fault) => {
  const edited = await buildEdited<Renderer>("test/support/render/node-renderer.ts", fault);
  await edited.madeInNode(SMALL, {});
  expect(await cancelled(long(60), {}, edited)).toBe("made");
});

testInProof("ends at the limit of its time, each element of a collection too", async () => {
  // Every part of the page takes longer, on any machine.
  const short: Edit = {
    file: "src/lib/limits/limit-values.ts",
    from: "render_time: { value: 60_000 }",
    to: "render_time: { value: 1 }",
  };
  const edited = await buildEdited<Renderer>("test/support/render/node-renderer.ts", short);
  const made = await edited.renderRequest(await templateRequest(long(60), {}));
  expect(made).toMatchObject({ ok: false, code: "timeout", may_retry: false });
  await expect(edited.collectInNode(long(60), [{}])).rejects.toMatchObject({
    failure: { code: "timeout", message: expect.stringMatching(/^Item 0: The render took longer/) },
  });
});
