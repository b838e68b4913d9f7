import { expect, test } from "vitest";
import { ACTIVE_MS, ActiveTenants } from "../../../../durable-objects/run/active-tenants.ts";

test("a workspace does not compete with itself, and another one counts for a moment", () => {
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

test("after a clock step back, no workspace counts as active", () => {
  const tenants = new ActiveTenants();
  tenants.note("b", 60_000);
  expect(tenants.hasOthers("a", 1_000)).toBe(false);
});
