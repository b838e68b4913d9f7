/** The check of the document by the service, 400 ms after the last change (docs/editor.md#parts). */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addNode, EMPTY_GRAPH, setLabel } from "../../../../src/web/editor/core/graph.ts";
import type { ApiAnswer } from "../../../../src/web/editor/core/save-workflow.ts";
import { wordsIn } from "../../../../src/web/editor/locales/locales.ts";
import { scheduleCheck } from "../../../../src/web/editor/state/check.ts";
import { EditorStore } from "../../../../src/web/editor/state/store.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const NODE = { id: "a", type: "input/text", parameters: {}, position: { x: 0, y: 0 } };
const ISSUE = { code: "odd", message: "Odd.", node_id: "a" };

/** An editor whose changes are checked, and the requests so far with the time of each. */
function editor(workflowId: string | null, answers: readonly (() => Promise<ApiAnswer>)[] = []) {
  const sent: { readonly path: string; readonly atMs: number }[] = [];
  const startedMs = Date.now();
  const valid: ApiAnswer = {
    status: 200,
    etag: null,
    body: { valid: true, errors: [], warnings: [] },
  };
  const store = new EditorStore(
    {
      api: {
        send: (method, path) => {
          sent.push({ path: `${method} ${path}`, atMs: Date.now() - startedMs });
          return answers[sent.length - 1]?.() ?? Promise.resolve(valid);
        },
      },
      host: { post: () => undefined, ready: () => undefined, fail: () => undefined },
      words: wordsIn("en"),
    },
    {
      canEdit: true,
      canRun: true,
      showName: true,
      showBranding: true,
      view: "canvas",
      workflow: { id: workflowId, name: "W", version: 0, etag: null },
    },
  );
  store.onGraph = () => {
    scheduleCheck(store);
  };
  const label = (text: string) => {
    store.change(setLabel(store.graph, "a", text));
  };
  return { store, sent, label };
}

test("comes once, 400 ms after the last of several changes", async () => {
  const { store, sent, label } = editor("wf_1");
  store.change(addNode(EMPTY_GRAPH, NODE));
  await vi.advanceTimersByTimeAsync(399);
  label("one");
  await vi.advanceTimersByTimeAsync(399);
  label("two");
  await vi.advanceTimersByTimeAsync(399);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toEqual([{ path: "POST /workflows/wf_1/validate", atMs: 399 + 399 + 400 }]);
  expect(store.state.check).toBe("done");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent.length).toBe(1);
});

test("needs no workflow before the first save, and none is made of an empty document", async () => {
  const { store, sent } = editor(null);
  store.change(addNode(EMPTY_GRAPH, NODE));
  await vi.advanceTimersByTimeAsync(400);
  expect(sent.map(({ path }) => path)).toEqual(["POST /workflows/validate"]);
  store.change(EMPTY_GRAPH);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([sent.length, store.state.check]).toEqual([1, "none"]);
});

test("of a document that has changed meanwhile says nothing", async () => {
  const slow = Promise.withResolvers<ApiAnswer>();
  const { store, label } = editor("wf_1", [() => slow.promise]);
  store.change(addNode(EMPTY_GRAPH, NODE));
  await vi.advanceTimersByTimeAsync(400);
  label("later");
  slow.resolve({ status: 200, etag: null, body: { valid: false, errors: [ISSUE], warnings: [] } });
  await vi.advanceTimersByTimeAsync(1);
  expect([store.state.issues, store.state.check]).toEqual([[], "checking"]);
  await vi.advanceTimersByTimeAsync(400);
  expect([store.state.issues, store.state.check]).toEqual([[], "done"]);
});

test("says what the service refuses, and that it cannot be reached", async () => {
  const { store, label } = editor("wf_1", [
    () =>
      Promise.resolve({
        status: 200,
        etag: null,
        body: { valid: false, errors: [ISSUE], warnings: [] },
      }),
    () =>
      Promise.resolve({
        status: 413,
        etag: null,
        body: { code: "too_large", detail: "Too large." },
      }),
    () => Promise.reject(new Error("down")),
  ]);
  const seen: unknown[] = [];
  store.change(addNode(EMPTY_GRAPH, NODE));
  for (const text of ["one", "two", "three"]) {
    await vi.advanceTimersByTimeAsync(400);
    seen.push([store.state.check, store.state.issues.map(({ code }) => code)]);
    label(text);
  }
  expect(seen).toEqual([
    ["done", ["odd"]],
    ["failed", ["too_large"]],
    ["failed", ["too_large"]],
  ]);
});
