/** Whole forms with a few bytes changed: each gets an answer, and what is kept is what was accepted. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { call, newCaller } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";
import { FontApi } from "../../support/fonts/font-api.ts";
import { fontForm } from "../../support/fonts/font-form.ts";
import { mutate } from "../../support/fuzz/mutate.ts";

const SEED = 20_261_120;
const FORMS = 80;
const WORDS = [
  "\r\n--",
  "\r\n\r\n",
  "--\r\n",
  'Content-Disposition: form-data; name="files"; filename="a.ttf"\r\n\r\n',
  'name="displayName"',
  "filename=",
  "false",
  "\u0000\ufffd\u202e",
  "__proto__",
];

it("answers every form, and keeps the bytes of accepted ones and no others", async () => {
  const random = new SeededRandom(SEED);
  const who = await newCaller();
  const api = new FontApi(who);
  const statuses = new Map<number, number>();
  for (let i = 0; i < FORMS; i++) {
    const fields = { displayName: `Family ${i}` };
    const form = new Response(fontForm({ fields, files: [{ width: i }, { weight: 700 }] }));
    const type = form.headers.get("content-type") ?? "";
    const whole = new Uint8Array(await form.arrayBuffer());
    const answer = await call("POST", "/api/v1/fonts", {
      token: who.token,
      headers: { "content-type": type },
      body: new Uint8Array(random.chance(0.1) ? whole : mutate(random, whole, WORDS)),
    });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    expect([201, 400, 409, 413], `form ${i} of seed ${SEED}: ${answer.text}`).toContain(
      answer.status,
    );
  }
  expect(statuses.get(201), "some are accepted").toBeGreaterThan(5);
  expect(statuses.get(400), "most are not").toBeGreaterThan(FORMS / 3);
  const families = await api.own();
  const kept = new Map<string, number>(
    families.flatMap(({ files }: { files: { sha256: string; sizeBytes: number }[] }) =>
      files.map((file) => [file.sha256, file.sizeBytes] as const),
    ),
  );
  expect(await keysOf(who.workspaceId)).toHaveLength(kept.size);
  expect(await api.bytesInUse()).toBe([...kept.values()].reduce((sum, size) => sum + size, 0));
  const writing = "SELECT count(*) AS n FROM font_objects WHERE state = 'writing'";
  expect(await env.DB.prepare(writing).first("n")).toBe(0);
});
