/** docs/providers.md: the mock servers of `npm run providers:mock`. Each script is known to speak its protocol by its own test. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { PIXEL } from "../../support/providers/pixel.ts";
import { type MockServers, startMocks } from "../../support/providers/mock-servers.ts";

let mocks: MockServers;
beforeAll(async () => {
  mocks = await startMocks(0, PIXEL);
});
afterAll(() => {
  mocks.stop();
});

test("all four providers answer at the addresses that are printed", async () => {
  const { openai_compatible: openai, replicate, fal, elevenlabs } = mocks.baseUrls;
  const ask = async (url: string, headers: Record<string, string>, body?: object) => {
    const response = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status, url).toBeLessThan(300);
    return await response.json();
  };
  const chat = await ask(`${openai}/chat/completions`, {}, { model: "gpt-4.1-mini", messages: [] });
  expect(chat).toMatchObject({
    choices: [{ message: { content: "This text is from a mock server." } }],
  });
  expect(await ask(`${openai}/images/generations`, {}, { prompt: "a" })).toMatchObject({
    data: [{ b64_json: PIXEL.toString("base64") }],
  });
  expect(await ask(`${openai}/models`, {})).toMatchObject({ data: [{ id: "mock" }] });
  expect(
    await ask(`${replicate}/models/black-forest-labs/flux-schnell/predictions`, {}, { input: {} }),
  ).toMatchObject({ status: "starting" });
  expect(
    await ask(`${fal}/fal-ai/flux/schnell`, { authorization: "Key any" }, { prompt: "a" }),
  ).toMatchObject({ status: "IN_QUEUE" });
  expect(await ask(`${elevenlabs}/v2/voices`, { "xi-api-key": "any" })).toMatchObject({
    total_count: 3,
  });
});
