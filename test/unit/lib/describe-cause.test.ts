import { describe, expect, it } from "vitest";
import { describeCause } from "../../../src/lib/errors/describe-cause.ts";

const SECRET = "a-value-of-the-customer";

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("describeCause", () => {
  it("keeps the class and the stack frames of an error", () => {
    const text = describeCause(thrownBy(() => JSON.parse("{")));
    expect(text).toMatch(/^SyntaxError\n\s+at /);
    expect(text).toContain("describe-cause.test");
  });

  it("keeps the platform's fixed messages", () => {
    const text = describeCause(new Error(`Network connection lost. ${SECRET}`));
    expect(text).toMatch(/^Error: Network connection lost\n\s+at /);
    expect(text).not.toContain(SECRET);
  });

  it("keeps nothing of an error's own message", () => {
    const named = new Error("x");
    named.name = SECRET;
    const mutable = new Error(SECRET);
    mutable.message = "changed afterwards";
    for (const thrown of [
      thrownBy(() => JSON.parse(`{"${SECRET}`)),
      new Error(SECRET),
      new Error(`first\n    at ${SECRET} (${SECRET}:1:1)\nlast`),
      new Error("outer", { cause: new Error(SECRET) }),
      named,
      mutable,
      SECRET,
      { message: SECRET },
      null,
      undefined,
    ]) {
      expect(describeCause(thrown)).not.toContain(SECRET);
    }
  });
});
