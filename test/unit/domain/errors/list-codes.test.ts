import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { BATCH_STOPS } from "../../../../src/contracts/batches/batch-states.ts";
import { ISSUE_SUGGESTIONS } from "../../../../src/contracts/workflows/definition-issue.ts";
import { listCodes } from "../../../../src/domain/errors/list-codes.ts";
import { TOPICS } from "../../../../src/domain/errors/listed-code.ts";
import { ERRORS } from "../../../../src/lib/errors/errors.ts";
import { NODE_ERRORS } from "../../../../src/lib/errors/node-error-guides.ts";
import { WARNINGS } from "../../../../src/lib/errors/warning-guides.ts";

const listed = listCodes();

test("every code of every table is listed once for each of its kinds, with a cause and a fix", () => {
  const of = (kind: string) =>
    listed.filter((entry) => entry.kind === kind).map(({ code }) => code);
  expect(of("problem").toSorted()).toEqual(Object.keys(ERRORS).toSorted());
  expect(of("run").toSorted()).toEqual(Object.keys(NODE_ERRORS).toSorted());
  expect(of("batch").toSorted()).toEqual([...BATCH_STOPS].toSorted());
  expect(of("warning").toSorted()).toEqual(Object.keys(WARNINGS).toSorted());
  expect(of("definition issue").toSorted()).toEqual(Object.keys(ISSUE_SUGGESTIONS).toSorted());
  for (const { code, cause, remedy } of listed) {
    expect(cause, code).toMatch(/^.{15,}\.$/su);
    expect(remedy, code).toMatch(/^.{10,}\.$/su);
  }
});

test("every topic has codes, and they are grouped in its order", () => {
  const topics = listed.map(({ topic }) => topic);
  const seen = topics.filter((topic, index) => topic !== topics[index - 1]);
  expect(seen).toEqual(Object.keys(TOPICS));
  const topicOf = (code: string) => listed.find((entry) => entry.code === code)?.topic;
  expect(topicOf("invalid_data")).toBe("datasets");
  expect(topicOf("CALC_OVERFLOW")).toBe("values");
  expect(topicOf("ROWS_SKIPPED")).toBe("datasets");
  expect(topicOf("CYCLE")).toBe("definitions");
  expect(topicOf("FONT_INVALID")).toBe("fonts");
});

test("docs/errors.md has a row for each of them", async () => {
  const text = await readFile(`${import.meta.dirname}/../../../../docs/errors.md`, "utf8");
  for (const { code, kind } of listed) {
    expect(text).toContain(`| \`${code}\` | ${kind} |`);
  }
});
