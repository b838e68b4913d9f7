import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SCHEMA_REFS } from "../../../../src/domain/catalog/json-schemas.ts";

/** Contracts that a text names, such as `svc.dataset/v1`. */
const refsIn = (text: string) => text.match(/\bsvc\.[a-z][a-z-]*\/(?:v\d+|\d+\.\d+)/g) ?? [];

test("every contract that code or a page names is served, and the other way round", () => {
  const named = ["src", "durable-objects", "queues", "docs", "samples"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:ts|md|json)$/.test(name))
      .flatMap((name) => refsIn(readFileSync(join(folder, name), "utf8"))),
  );
  expect([...new Set(named)].toSorted()).toEqual([...SCHEMA_REFS].toSorted());
  expect(refsIn('schema: "svc.planted/v2",')).toEqual(["svc.planted/v2"]);
});
