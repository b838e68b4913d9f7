import { describe, expect, test } from "vitest";
import type { ReadinessCheck } from "../../../src/contracts/templates/design-template.ts";
import {
  compatibilityChecks,
  documentChecks,
  failedChecks,
  sortChecks,
} from "../../../src/domain/templates/readiness-checks.ts";

const warning = (more: Partial<ReadinessCheck>): ReadinessCheck => ({
  code: "text_cut",
  severity: "warning",
  message: "3 of 4 characters are cut.",
  suggested_action: "Make the box larger.",
  ...more,
});

test("every problem of a document blocks, at most 100 of them", () => {
  const problem = { field: "pages[0].width", code: "out_of_range", message: "Too wide." } as const;
  const checks = documentChecks(Array.from({ length: 101 }, () => problem));
  expect(checks).toHaveLength(100);
  expect(checks[0]).toMatchObject({
    code: "document_invalid",
    severity: "blocking",
    message: "pages[0].width: Too wide.",
  });
});

test("a render without errors of fields fails with its message", () => {
  const failure = {
    ok: false,
    code: "too_large",
    message: "Big.",
    errors: [],
    may_retry: false,
  } as const;
  expect(failedChecks(failure, undefined)).toMatchObject([
    { code: "render_failed", message: "Big." },
  ]);
  expect(failedChecks(failure, { id: "s", name: "Long" })).toMatchObject([
    { code: "sample_set_failed", sample_set_id: "s", message: 'Sample set "Long": Big.' },
  ]);
});

test("changed pages are incompatible without a field", () => {
  const pages = {
    code: "pages_changed",
    path: "pages",
    from: [],
    to: [],
    compatible: false,
  } as const;
  const [check] = compatibilityChecks([pages], 3);
  expect(check?.message).toContain("revision 3");
  expect(check).not.toHaveProperty("field");
});

describe("the order", () => {
  test("has blocking checks first", () => {
    const blocking = warning({ code: "font_unavailable", severity: "blocking" });
    expect(sortChecks([warning({}), blocking]).map(({ severity }) => severity)).toEqual([
      "blocking",
      "warning",
    ]);
  });

  test("has a warning of an element once, and a failed sample set for each set", () => {
    const cut = (set: string) => warning({ element_id: "e", sample_set_id: set });
    expect(sortChecks([cut("a"), cut("b")])).toEqual([cut("a")]);
    const failed = (set: string) =>
      warning({ code: "sample_set_failed", severity: "blocking", sample_set_id: set });
    expect(sortChecks([failed("a"), failed("b")])).toHaveLength(2);
  });
});
