import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ENDPOINTS } from "../../../src/api/routes.ts";

const API = new URL("../../../src/api/", import.meta.url).pathname;

/**
 * `get-openapi-document` → `getopenapidocument`: the case of an abbreviation is not in the file
 * name.
 */
function plain(name: string): string {
  return name.replaceAll("-", "").toLowerCase();
}

const files = readdirSync(API, { recursive: true, encoding: "utf8" }).filter(
  (file) =>
    file.endsWith(".ts") &&
    file.includes("/") &&
    /\bdefineEndpoint\(/.test(readFileSync(API + file, "utf8")),
);

test("every endpoint's file is listed in routes.ts once, and exports the name of the file", () => {
  const routes = readFileSync(`${API}routes.ts`, "utf8");
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const source = readFileSync(API + file, "utf8");
    const exported = [...source.matchAll(/^export const (\w+) = defineEndpoint\(/gm)].map(
      ([, name]) => name ?? "",
    );
    const name = file.slice(file.lastIndexOf("/") + 1, -".ts".length);
    expect(
      exported.map((one) => one.toLowerCase()),
      file,
    ).toEqual([plain(name)]);
    expect(routes, file).toContain(`import { ${exported[0]} } from "./${file}";`);
    expect(routes, file).toMatch(new RegExp(`^  ${exported[0]},$`, "m"));
  }
  expect(ENDPOINTS).toHaveLength(files.length);
});
