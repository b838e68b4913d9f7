import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { call, ORIGIN } from "../../support/api-caller.ts";

const INDEX = "/.well-known/agent-skills/index.json";

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly digest: string;
}

async function listed(): Promise<readonly Listed[]> {
  const { status, headers, json } = await call("GET", INDEX);
  expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=3600"]);
  return json.skills;
}

const pathOf = ({ url }: Listed) => url.slice(ORIGIN.length);

it("the index is found from the API catalog", async () => {
  const { json } = await call("GET", "/.well-known/api-catalog");
  expect(json.linkset[0]["service-meta"]).toEqual([
    { href: ORIGIN + INDEX, type: "application/json" },
  ]);
});

it("every skill is served, anonymous and cacheable, with the bytes of its digest", async () => {
  const skills = await listed();
  expect(skills.map(({ name }) => name)).toEqual([
    "run-workflow",
    "upload-asset",
    "run-over-table",
    "receive-webhooks",
  ]);
  for (const skill of skills) {
    const { status, headers, text } = await call("GET", pathOf(skill));
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
      200,
      "text/markdown; charset=utf-8",
      "public, max-age=3600",
    ]);
    expect(`sha256:${createHash("sha256").update(text).digest("hex")}`).toBe(skill.digest);
    expect(text.startsWith(`---\nname: ${skill.name}\ndescription: `)).toBe(true);
    expect(JSON.parse(/^description: (.*)$/m.exec(text)![1]!)).toBe(skill.description);
    expect(text).not.toContain("{base_url}");
  }
});

it("an unchanged skill is not sent again", async () => {
  const [skill] = await listed();
  const { headers } = await call("GET", pathOf(skill!));
  const again = await call("GET", pathOf(skill!), {
    headers: { "if-none-match": headers.get("etag")! },
  });
  expect([again.status, again.text]).toEqual([304, ""]);
});

it("an unknown skill is 404", async () => {
  const { status, json } = await call("GET", "/.well-known/agent-skills/constructor/SKILL.md");
  expect([status, json.code]).toEqual([404, "not_found"]);
});

it("skills name only existing routes", async () => {
  const shape = (path: string) => path.replaceAll(/\{[^}]*\}/g, "{}");
  const routes = new Set(ENDPOINTS.map(({ method, path }) => `${method} ${shape(path)}`));
  let found = 0;
  for (const skill of await listed()) {
    const { text } = await call("GET", pathOf(skill));
    for (const [, method, path] of text.matchAll(
      /`(GET|POST|PUT|PATCH|DELETE) http:\/\/svc\.test(\/[^`?\s]*)/g,
    )) {
      found += 1;
      expect(routes, `${skill.name}: ${method} ${path}`).toContain(
        `${method!.toLowerCase()} ${shape(path!)}`,
      );
    }
    for (const [, path] of text.matchAll(/curl -s http:\/\/svc\.test(\S*)/g)) {
      found += 1;
      expect(routes, `${skill.name}: ${path}`).toContain(`post ${path}`);
    }
  }
  expect(found).toBeGreaterThan(15);
});
