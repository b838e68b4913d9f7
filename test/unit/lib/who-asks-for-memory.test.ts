/**
 * Users of the isolate's memory budget, and code that reads something whole without it, each with
 * its limit. New code in a Worker that holds large data must be added to one of the two lists.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const pathOf = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url).href);

/** Files that take or keep memory, with its purpose. */
const ASKERS = {
  "durable-objects/batch-export/batch-export-object.ts": "parts of the export of a batch",
  "durable-objects/executor/claim-memory.ts": "the inputs of tasks that wait for their turn",
  "durable-objects/executor/task-slots.ts": "a task, by its node and the values of its inputs",
  "durable-objects/run/blocks/block-room.ts": "blocks that a run's object keeps for their next use",
  "durable-objects/run/run-host.ts":
    "a run's work: cells, values from R2, results, files that are read",
  "durable-objects/run/run-access.ts": "what its views hold of a run for one call",
  "durable-objects/run/views/answer-memory.ts": "a page of values and a stored text in an answer",
  "durable-objects/run/views/run-views.ts": "values that are read for an archive",
  "src/api/batch-executions/read-batch-body.ts": "the body of a batch of more than 64 KiB",
  "src/api/docs/get-openapi-document.ts": "the OpenAPI document that is kept",
  "src/api/read-json-body.ts": "a JSON body of more than 64 KiB",
  "src/domain/assets/inspect-pieces.ts": "an SVG that is cleaned",
  "src/domain/batches/create/dataset-items.ts": "a table whose rows become items of a batch",
  "src/domain/color-profiles/create-color-profile.ts": "a color profile of 10 MiB at most",
  "src/domain/datasets/inspect-dataset.ts": "a table that is inspected",
  "src/domain/executions/compare/describe-value.ts": "two values whose difference is made",
  "src/domain/executions/estimate/count-file-rows.ts": "a table that is counted for an estimate",
  "src/domain/exports/run-builder.ts": "parts of an archive",
  "src/domain/templates/change-draft.ts": "a design document that is edited or published",
  "src/domain/templates/import-svg.ts": "an element made of a drawing, until the draft is written",
  "src/domain/uploads/inspect-staged.ts": "an SVG of an upload session, and its copy",
  "src/engine/drive/asked-elements.ts":
    "answers of the result cache that a run has not settled yet",
  "src/engine/drive/cell-reader.ts": "single values that a run keeps between its slices",
  "src/images/code/read-codes.ts": "the code reader that is kept",
  "src/images/codec/wasm-codec.ts": "the SVG renderer that is kept",
  "src/lib/memory/weighted-cache.ts": "compiled plans that are kept",
  "src/storage/r2/put-pieces.ts": "parts of a file that is stored",
  "src/workers/media/sound-decoder.ts": "a sound that is decoded for the runner",
  "src/workers/renderer/render-memory.ts": "a render or a merge besides what is kept, in its turn",
  "src/workers/renderer/renderer-parts.ts": "HarfBuzz, its subsetter and PDFium, which are kept",
  "src/workers/runner/check-provider.ts": "the answer of a provider that is checked",
  "src/workers/runner/font-checker.ts": "a font that is checked",
  "src/workers/runner/list-provider-voices.ts": "the voices of a provider while they are read",
  "src/workers/runner/thumbnails.ts": "a picture whose thumbnail is made",
} as const;
const ASKS =
  /\bisolateMemory\.keep\(|\bbudget\.keep\(|\bmemory\??\.(?:take|takeNow|use|keep)\(|new MemoryGate\(|new RequestMemory\(/;

/**
 * Files that read something whole without taking memory: who has taken it, or why it stays small.
 */
const READERS = {
  "src/api/read-json-body.ts": "it asks; forms of a token have 16 KiB",
  "src/domain/assets/inspect-pieces.ts": "it asks",
  "src/domain/color-profiles/create-color-profile.ts": "a color profile; it asks",
  "src/domain/datasets/dataset-readers.ts": "a chunk of rows, of a task or a run's enumerator",
  "src/domain/exports/batch/build-export.ts": "a piece of a value; its object has asked",
  "src/domain/exports/batch/csv-rows.ts": "nothing: it hands on the pieces of a text",
  "src/domain/exports/batch/export-row.ts": "nothing: it hands on the pieces of a text",
  "src/domain/exports/batch/xlsx-sheet.ts": "nothing: it hands on the pieces of a text",
  "src/domain/uploads/inspect-staged.ts": "the first and last bytes of a file",
  "src/platform/egress/resolve-host.ts": "an answer of DNS",
  "src/platform/egress/private-name.ts": "addresses of one name, of the local service",
  "src/platform/read-built-json.ts": "a file of the deployment, made by its build",
  "src/render/pdf/content-writer.ts": "nothing: it has written that text itself",
  "src/render/pdf/write-pdf.ts": "nothing: the text of a page that it has written",
  "src/storage/r2/color-profile-files.ts":
    "a color profile of 10 MiB at most; its render has asked",
  "src/storage/r2/copy-task-file.ts": "a file that goes into a pack or a row, 1 MiB at most",
  "src/storage/d1/workflow-versions.ts": "the copy of a row with a definition of 512 KiB at most",
  "src/storage/r2/definition-text.ts": "a definition of 1 MiB at most",
  "src/storage/r2/get-file.ts": "nothing: it hands the object's own reading on",
  "src/storage/r2/key-shards.ts": "a number of two digits, which this service wrote",
  "src/storage/r2/r2-source.ts": "a range that a reader of tables names",
  "src/storage/r2/share-link-homes.ts": "two ids, which this service wrote",
  "src/storage/r2/read-task-file.ts": "a task has asked, 32 MiB at most",
  "src/storage/r2/run-values.ts":
    "one value of a run, 16 MiB at most: its work and its answers ask",
  "src/storage/s3/list-parts.ts": "a page of 1,000 parts",
  "src/storage/r2/template-files.ts": "a design document of 16 MiB at most, or its contract",
  "src/workers/renderer/read-document.ts": "a document; its render has asked",
  "src/workers/renderer/resources/read-picture.ts":
    "a picture of 20 MiB at most; its render has asked",
  "src/workers/renderer/resources/render-fonts.ts": "a font file; its render has asked",
  "src/workers/runner/decode-sound.ts": "a sentence of the media Worker",
  "src/workers/runner/font-checker.ts": "it asks",
} as const;
const READS = /\.(?:arrayBuffer|text|bytes|json)\(\)/;

/** Infrastructure of the users: the gate itself, and contexts that pass it on. */
const FRAME = new Set([
  "src/lib/memory/memory-budget.ts",
  "src/lib/memory/memory-gate.ts",
  "src/platform/create-context.ts",
  "src/platform/request-memory.ts",
]);
/** Code in a browser, or samples of it. */
const ELSEWHERE = /^src\/(?:web|pages)\//;

const sources = ["src", "durable-objects", "queues"].flatMap((folder) =>
  readdirSync(pathOf(folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`)
    .filter((name) => !FRAME.has(name) && !ELSEWHERE.test(name)),
);

function holding(pattern: RegExp): string[] {
  return sources.filter((name) => pattern.test(readFileSync(pathOf(name), "utf8"))).toSorted();
}

test("all users of the budget are listed", () => {
  expect(holding(ASKS)).toEqual(Object.keys(ASKERS).toSorted());
});

test("all code that reads something whole is listed with its limit", () => {
  expect(holding(READS)).toEqual(Object.keys(READERS).toSorted());
});
