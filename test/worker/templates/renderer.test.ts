import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

it("the renderer answers through the API Worker's binding, with its memory", async () => {
  const state = await env.RENDERER.describe({ v: 1 });
  expect(state).toMatchObject({ version: 1, is_rendering: false, waiting: 0, taken_bytes: 0 });
});

it("the renderer refuses a request of a version that it does not know", async () => {
  const call = env.RENDERER.describe({ v: 2 } as never).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(await call).toMatchObject({
    name: "RefusedCallError",
    code: "unknown_version",
    remote: true,
  });
});
