/** docs/contract/models.md#calls: an answer is weighed before it is parsed, because small texts can stand for large values. */
import { expect, test, vi } from "vitest";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";
import { readJsonAnswer } from "../../../src/providers/read-answer.ts";

/** Reads a JSON answer; counts the texts that were parsed. */
async function read(text: string) {
  const parse = vi.spyOn(JSON, "parse");
  const response = {
    status: 200,
    headers: new Headers(),
    url: "https://models.example.com/v1",
    body: new Blob([text]).stream(),
  };
  try {
    const value = await readJsonAnswer(response, {
      attempt: 1,
      nowMs: () => 0,
      holding: () => undefined,
    });
    return { value, parsed: parse.mock.calls.length };
  } catch (error) {
    return { error, parsed: parse.mock.calls.length };
  } finally {
    parse.mockRestore();
  }
}

const emptyArrays = (bytes: number) => `[${"[],".repeat(bytes / 3)}[]]`;

test("an answer that would take more memory than its call has is not parsed", async () => {
  const { error, parsed } = await read(emptyArrays(LIMITS.provider_json.value - 8));
  expect(error).toMatchObject({ code: "PROVIDER_BAD_OUTPUT" });
  expect(parsed).toBe(0);
});

test("an answer of the largest size is read if it takes little more memory than its text", async () => {
  const long = "a".repeat(LIMITS.provider_json.value - 16);
  expect(await read(JSON.stringify({ text: long }))).toMatchObject({ value: { text: long } });
  const { value } = await read(emptyArrays(300_000));
  expect(value).toHaveLength(100_001);
});
