/** The runner as it is deployed: its own bundle with every node type, its wasm, the queue and R2. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { scriptedTask, ScriptedRunner, storedOutputs } from "../support/node/scripted-runner.ts";
import { decodePng } from "../support/node/decode-png.ts";
import { readCode } from "../support/node/read-code.ts";

let runner: ScriptedRunner;

beforeAll(async () => {
  runner = await ScriptedRunner.start(
    "src/workers/runner/runner.ts",
    "src/workers/renderer/renderer.ts",
  );
});

afterAll(() => runner.stop());

const input = (port: string, value: unknown) => [{ port, value: JSON.stringify(value) }];

test("draws a code that an independent decoder reads, and converts its SVG into a PNG with the same text", async () => {
  const text = "https://example.com/é?a=1";
  const drawing = runner.newRun();
  const params = { symbology: "qr", size: 256 };
  await drawing.script([
    scriptedTask(1, "image/code", params, { inputs: input("text", ["j", text]) }),
  ]);
  await drawing.send(0);
  const [drawn] = await drawing.reports(1);
  const [image, svg, check] = storedOutputs(drawn!);
  expect([image![0], svg![0], check![0]]).toEqual(["f", "f", "j"]);
  expect(image![1].key.startsWith(`${drawing.workspace}/1.1/`)).toBe(true);
  const png = (await runner.readFile(image![1].key))!;
  expect(png.byteLength).toBe(image![1].sizeBytes);
  expect(await readCode(png)).toEqual([text]);

  const output = runner.newRun(drawing.workspace);
  await output.script([
    scriptedTask(1, "output/image", { format: "png" }, { inputs: input("image", svg) }),
  ]);
  await output.send(0);
  const [converted] = await output.reports(1);
  const [, file] = storedOutputs(converted!)[0]!;
  const large = (await runner.readFile(file.key))!;
  expect(decodePng(large).width).toBe(2_048);
  expect(await readCode(large)).toEqual([text]);
});

test("provides nodes with the schema compiler", async () => {
  const run = runner.newRun();
  const params = { schema_definition: { type: "object", required: ["a"] } };
  const validate = (id: number, value: unknown) =>
    scriptedTask(id, "utility/json_schema_validate", params, {
      inputs: input("json", ["j", value]),
    });
  await run.script([validate(1, {}), validate(2, { a: 1 })]);
  await run.send(0);
  const [refused, taken] = await run.reports(2);
  expect(refused!.outcome).toMatchObject({ kind: "failed", code: "JSON_SCHEMA_VIOLATION" });
  expect(taken!.outcome).toMatchObject({ kind: "ok" });
});

test("has no public routes", async () => {
  expect((await runner.get("/")).status).toBe(404);
});
