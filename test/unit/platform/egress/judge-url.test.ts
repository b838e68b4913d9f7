import { describe, expect, test } from "vitest";
import { isPublicAddress } from "../../../../src/platform/egress/check-address.ts";
import { checkUrl } from "../../../../src/platform/egress/check-url.ts";
import { loopbackExceptions } from "../../../../src/platform/egress/loopback-exceptions.ts";
import {
  HOSTILE_URLS,
  PUBLIC_LITERAL_URLS,
  PUBLIC_URLS,
} from "../../../support/egress/url-vectors.ts";

const none: ReadonlySet<string> = new Set();
const names = { loopback: none, allowsIpLiterals: false };
const literals = { loopback: none, allowsIpLiterals: true };

describe("the check of an outgoing address", () => {
  test.each(HOSTILE_URLS)("rejects %j", (text) => {
    expect(checkUrl(text, literals).isAllowed).toBe(false);
    expect(checkUrl(text, names).isAllowed).toBe(false);
  });

  test.each(PUBLIC_LITERAL_URLS)(
    "accepts the public address %s only where literals are allowed",
    (text) => {
      expect(checkUrl(text, literals).isAllowed).toBe(true);
      expect(checkUrl(text, names).isAllowed).toBe(false);
    },
  );

  test.each(PUBLIC_URLS)("accepts %s", (text) => {
    expect(checkUrl(text, names)).toMatchObject({ isAllowed: true, isLoopback: false });
  });

  test("reports the broken rule, and nothing of the address", () => {
    const checked = checkUrl("https://user:hunter2@example.com/secret?key=hunter2", names);
    expect(checked).toMatchObject({ isAllowed: false, reason: "it holds credentials" });
    expect(JSON.stringify(checked)).not.toContain("hunter2");
  });

  test("accepts the excepted loopback hosts, by literal host and port, and no others", () => {
    const loopback = loopbackExceptions({
      ENVIRONMENT: "local",
      EGRESS_ALLOW_LOOPBACK: "127.0.0.1:9000, localhost:9001,[::1]:9002",
    });
    const policy = { loopback, allowsIpLiterals: false };
    for (const text of [
      "http://127.0.0.1:9000/a",
      "https://127.0.0.1:9000/",
      "http://localhost:9001/",
      "http://[::1]:9002/",
      "http://127.0.0.1:9000?a",
      "http://127.0.0.1:9000",
    ]) {
      expect(checkUrl(text, policy), text).toMatchObject({ isAllowed: true, isLoopback: true });
    }
    for (const text of [
      // Other notations of the same hosts.
      "http://0x7f.1:9000/",
      "http://127.1:9000/",
      "http://2130706433:9000/",
      "HTTP://127.0.0.1:9000/",
      "http://LOCALHOST:9001/",
      "http://127.0.0.1:09000/",
      "http://[0:0:0:0:0:0:0:1]:9002/",
      "http:127.0.0.1:9000/",
      "http://127.0.0.1:9001/",
      "http://127.0.0.1/",
      "http://127.0.0.2:9000/",
      "http://localhost:9000/",
      "http://localhost.:9001/",
      "http://user@127.0.0.1:9000/",
      "ftp://127.0.0.1:9000/",
    ]) {
      expect(checkUrl(text, policy).isAllowed, text).toBe(false);
    }
  });

  test("ignores the exceptions outside of the local mode", () => {
    for (const ENVIRONMENT of ["production", "staging", ""]) {
      const env = { ENVIRONMENT, EGRESS_ALLOW_LOOPBACK: "127.0.0.1:9000" };
      expect(loopbackExceptions(env).size).toBe(0);
    }
  });
});

test("an address is public only if it is written in full and is in public unicast space", () => {
  for (const text of ["8.8.8.8", "2606:4700:4700::1111"]) {
    expect(isPublicAddress(text), text).toBe(true);
  }
  for (const text of ["", "8.8.8", "0x8080808", "8.8.8.8/32", "example.com", "::ffff:8.8.8.8"]) {
    expect(isPublicAddress(text), text).toBe(false);
  }
});
