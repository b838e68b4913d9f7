import { expect, test } from "vitest";
import { ACTIVE_MS, ActiveTenants } from "../../../../durable-objects/run/active-tenants.ts";

test("a workspace is no company to itself, and another is for a moment", () => {
  const tenants = new ActiveTenants();
  expect(tenants.hasOthers("a", 1_000)).toBe(false);
  tenants.note("a", 1_000);
  expect(tenants.hasOthers("a", 1_000)).toBe(false);
  tenants.note("b", 1_010);
  tenants.note("a", 1_020);
  tenants.note("a", 1_030);
  expect(tenants.hasOthers("a", 1_010 + ACTIVE_MS)).toBe(true);
  expect(tenants.hasOthers("b", 1_030)).toBe(true);
  expect(tenants.hasOthers("c", 1_030)).toBe(true);
  expect(tenants.hasOthers("a", 1_011 + ACTIVE_MS)).toBe(false);
});

test("a clock that stepped back leaves nobody active", () => {
  const tenants = new ActiveTenants();
  tenants.note("b", 60_000);
  expect(tenants.hasOthers("a", 1_000)).toBe(false);
});
