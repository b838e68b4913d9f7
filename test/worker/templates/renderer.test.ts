import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

it("the renderer answers through the API Worker's binding, with its memory", async () => {
  const state = await env.RENDERER.describe({ v: 1 });
  expect(state.version).toBe(1);
  expect(state.taken_bytes).toBe(0);
});

it("the renderer refuses a request of a version that it does not know", async () => {
  const call = env.RENDERER.describe({ v: 2 } as never).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(await call).toMatchObject({ name: "RefusedCallError", code: "unknown_version" });
});
