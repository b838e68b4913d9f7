import { expect, test } from "vitest";
import { catalogReply } from "../../../../src/api/catalog/catalog-reply.ts";

const reply = async (body: unknown, tag?: string) =>
  (
    await catalogReply(
      new Request(
        "https://x.test/",
        tag === undefined ? {} : { headers: { "if-none-match": tag } },
      ),
      body,
    )
  ).response;

test("a response is in English, privately cacheable and tagged by its content", async () => {
  const response = await reply({ a: 1 });
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-language": "en",
    "cache-control": "private, max-age=60",
    "content-type": "application/json; charset=utf-8",
  });
  expect(await response.json()).toEqual({ a: 1 });
  expect((await reply({ a: 1 })).headers.get("etag")).toBe(response.headers.get("etag"));
  expect((await reply({ a: 2 })).headers.get("etag")).not.toBe(response.headers.get("etag"));
});

test("an unchanged resource is a 304 without a body, with its headers", async () => {
  const etag = (await reply({ a: 1 })).headers.get("etag") ?? "";
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const response = await reply({ a: 1 }, tag);
    expect(response.status).toBe(304);
    expect(response.headers.get("etag")).toBe(etag);
    expect(response.headers.get("content-language")).toBe("en");
    expect(await response.text()).toBe("");
  }
  expect((await reply({ a: 1 }, '"other"')).status).toBe(200);
});
