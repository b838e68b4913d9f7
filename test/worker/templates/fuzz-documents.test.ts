/**
 * Documents of every wrong shape over the API: each request is answered with success or with a problem whose paths exist,
 * never with 500. Those that are accepted are changed, published and rendered.
 */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { newCaller, type Reply } from "../../support/api-caller.ts";
import { fullDocumentOfTwoPages } from "../../support/templates/full-document.ts";
import { mutate, pathExists, randomOf } from "../../support/templates/mutate-document.ts";
import {
  documentOf,
  fieldElement,
  guid,
  TEMPLATES,
  TemplateApi,
} from "../../support/templates/template-api.ts";

const EXECUTIONS = Math.ceil(
  Number((env as unknown as { FUZZ_EXECUTIONS: number }).FUZZ_EXECUTIONS) / 150,
);
/** From this many on each request is accepted at times and refused at times. */
const ALL_MET = 10;
const PLAIN = documentOf(fieldElement("title", 2));
const OUTPUTS = ["pdf", "image", "pages", "both", "svg"];

let api: TemplateApi;
beforeAll(async () => {
  api = new TemplateApi(await newCaller());
});

/** What is wrong with a response to this body; "" if nothing. */
function problemOf({ status, json, text }: Reply, body: JsonValue): string {
  if (status >= 200 && status < 300) {
    return "";
  }
  if (status < 400 || status >= 500 || typeof json?.code !== "string") {
    return `${status}: ${text.slice(0, 500)}`;
  }
  const errors = (json.errors ?? []) as { field: string; code: string }[];
  const lost = errors.filter(({ field }) => field !== "" && !pathExists(body, field));
  if (json.code === "content_invalid" && errors.length === 0) {
    return `content_invalid without errors: ${text.slice(0, 500)}`;
  }
  return lost.map(({ field, code }) => `${code} at ${field}, which does not exist`).join("; ");
}

/** The places of the whole document that a problem of an element's patch may name. */
function asDocument(patch: Readonly<Record<string, JsonValue>>): JsonValue {
  const element = Object.fromEntries(
    Object.entries(patch).map(([key, value]) => [
      key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
  return { ...patch, pages: [{ elements: [element] }] };
}

test("mutated documents are accepted or refused, and what is accepted can be used", async () => {
  const random = randomOf(20_261_124);
  const base = await api.made(PLAIN);
  const wrong: string[] = [];
  const statuses = new Map<string, number>();
  let { etag } = base;
  const note = (name: string, reply: Reply, body: JsonValue): boolean => {
    const problem = problemOf(reply, body);
    if (problem !== "") {
      wrong.push(`${name}: ${problem}`);
    }
    const key = `${name} ${reply.status < 300 ? "ok" : "refused"}`;
    statuses.set(key, (statuses.get(key) ?? 0) + 1);
    return reply.status < 300;
  };
  for (let i = 0; i < EXECUTIONS; i += 1) {
    // Every third document stays whole, so that some are published.
    const content = (i % 3 === 2
      ? fullDocumentOfTwoPages()
      : structuredClone(PLAIN)) as unknown as Record<string, JsonValue>;
    if (i % 3 !== 0) {
      mutate(content, random);
    }
    const created = await api.create({ content });
    const isMade = note("create", created, content);
    const replaced = await api.put(base.id, etag, content);
    note("replace", replaced, content);
    etag = replaced.headers.get("etag") ?? etag;

    const patch: Record<string, JsonValue> = { left: i, font_size: 9, text: "Changed" };
    if (i % 3 !== 0) {
      mutate(patch, random);
    }
    const patched = await api.send("PATCH", `${base.id}/draft/elements/${guid(2)}`, {
      json: patch,
      headers: { "if-match": "*" },
    });
    note("patch", patched, asDocument(patch));
    etag = patched.headers.get("etag") ?? etag;

    const id = isMade ? (created.json.id as string) : base.id;
    const published = await api.publish(id);
    const isPublished = note("publish", published, content);
    const body = {
      values: { title: random(3) === 0 ? null : `Number ${i}` },
      output: OUTPUTS[random(OUTPUTS.length)] as string,
      max_page_dimension: 64,
      missing_policy: "use_template_default",
    };
    if (random(3) === 0) {
      mutate(body, random);
    }
    const source = isPublished ? `${id}/versions/1` : `${id}/draft`;
    const rendered = await api.send("POST", `${TEMPLATES}/${source}/render`, { json: body });
    note("render", rendered, body);
  }
  expect(wrong).toEqual([]);
  const met = ["create ok", "replace ok", "patch ok", "publish ok"];
  const alsoMet = [
    "create refused",
    "replace refused",
    "patch refused",
    "render ok",
    "render refused",
  ];
  expect([...statuses.keys()]).toEqual(
    expect.arrayContaining(EXECUTIONS < ALL_MET ? met : [...met, ...alsoMet]),
  );
});
