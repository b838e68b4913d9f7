import { describe, expect, test } from "vitest";
import { ApiClient, ApiError } from "../../../../src/web/shared/api-client.ts";

function open(answer: (request: Request) => Response | Promise<Response>) {
  const requests: Request[] = [];
  const client = new ApiClient("first", async (input, init) => {
    const request = new Request(new URL(input as string, "https://app.example"), init);
    requests.push(request);
    return await answer(request);
  });
  return { client, requests };
}

async function failureOf(run: Promise<unknown>): Promise<ApiError> {
  const thrown: unknown = await run.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ApiError);
  return thrown as ApiError;
}

describe("ApiClient", () => {
  test("sends the current token, JSON and the query, and neither cookies nor a referrer", async () => {
    const { client, requests } = open(() => Response.json({ a: 1 }, { status: 202 }));
    const { status, body } = await client.call<{ a: number }>("POST", "/api/embed/executions", {
      query: { interface: "int_1", none: undefined },
      headers: { "idempotency-key": "k" },
      body: { inputs: {} },
    });
    expect([status, body]).toEqual([202, { a: 1 }]);
    client.setToken("second");
    await client.call("GET", "/api/embed/config");
    const [first, second] = requests;
    expect(first?.url).toBe("https://app.example/api/embed/executions?interface=int_1");
    expect(first?.headers.get("authorization")).toBe("Bearer first");
    expect(first?.headers.get("content-type")).toBe("application/json");
    expect(first?.headers.get("idempotency-key")).toBe("k");
    expect([first?.credentials, first?.referrerPolicy]).toEqual(["omit", "no-referrer"]);
    expect(await first?.json()).toEqual({ inputs: {} });
    expect(second?.headers.get("authorization")).toBe("Bearer second");
  });

  test("sends forms and files as they are", async () => {
    const { client, requests } = open(() => new Response(null, { status: 204 }));
    const form = new FormData();
    form.set("file", new Blob(["x"]), "a.txt");
    const { body } = await client.call("POST", "/api/embed/assets", { body: form });
    expect(body).toBeUndefined();
    expect(requests[0]?.headers.get("content-type")).toMatch(/^multipart\/form-data/);
  });

  test("throws what a problem document says", async () => {
    const errors = [{ field: "inputs.a", message: "Must be a number." }];
    const { client } = open(() =>
      Response.json(
        { code: "validation_error", detail: "One input is wrong.", errors },
        { status: 400, headers: { "retry-after": "7" } },
      ),
    );
    const failure = await failureOf(client.call("POST", "/api/embed/executions"));
    expect([failure.status, failure.code, failure.message]).toEqual([
      400,
      "validation_error",
      "One input is wrong.",
    ]);
    expect([failure.problems, failure.retryAfterS]).toEqual([errors, 7]);
  });

  test("throws `network` without an answer, and for an answer that is not the service's", async () => {
    const lost = await failureOf(
      open(() => Promise.reject(new TypeError("Failed to fetch"))).client.call("GET", "/api/x"),
    );
    expect([lost.status, lost.code]).toEqual([0, "network"]);
    const gateway = await failureOf(
      open(() => new Response("<html>", { status: 502 })).client.call("GET", "/api/x"),
    );
    expect([gateway.status, gateway.code]).toEqual([502, "network"]);
  });

  test("throws the reason of an abort", async () => {
    const controller = new AbortController();
    const { client } = open(() => {
      controller.abort(new RangeError("left"));
      return Promise.reject(new DOMException("aborted", "AbortError"));
    });
    await expect(client.call("GET", "/api/x", { signal: controller.signal })).rejects.toThrow(
      "left",
    );
  });
});
