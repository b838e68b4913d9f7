/** docs/contract/embeds.md#tokens: what `allowed_origins` accepts, and how it is kept. */
import { expect, test } from "vitest";
import { normalizeOrigin } from "../../../../src/contracts/embeds/allowed-origin.ts";

test.each([
  ["https://app.example.com", "https://app.example.com"],
  ["HTTPS://App.EXAMPLE.com/", "https://app.example.com"],
  ["https://app.example.com:443", "https://app.example.com"],
  ["https://app.example.com:8443", "https://app.example.com:8443"],
  ["https://bücher.example", "https://xn--bcher-kva.example"],
  ["https://例え.テスト:444", "https://xn--r8jz45g.xn--zckzah:444"],
  ["https://203.0.113.7", "https://203.0.113.7"],
  ["https://[2001:DB8::1]:1", "https://[2001:db8::1]:1"],
  ["http://localhost", "http://localhost"],
  ["http://localhost:80", "http://localhost"],
  ["http://shop.localhost:3000", "http://shop.localhost:3000"],
  ["http://127.0.0.1:5173", "http://127.0.0.1:5173"],
  ["http://[::1]:5173", "http://[::1]:5173"],
  ["https://localhost", "https://localhost"],
])("%s is kept as %s", (given, origin) => {
  expect(normalizeOrigin(given)).toBe(origin);
});

test.each([
  "",
  "null",
  "*",
  "https://*",
  "https://*.example.com",
  "https://example.com/*",
  "https://example.com:*",
  "https://example.com/path",
  "https://example.com//",
  "https://example.com/?",
  "https://example.com?x=1",
  "https://example.com#x",
  "https://user@example.com",
  "https://user:secret@example.com",
  "https://example.com:",
  "https://example.com:99999",
  "https:example.com",
  "https:/example.com",
  "https:///example.com",
  "https:\\\\example.com",
  "https://example.com\\",
  "//example.com",
  "example.com",
  "http://example.com",
  "http://127.0.0.2",
  "http://localhost.example.com",
  "http://notlocalhost",
  "ftp://example.com",
  "data:text/html,x",
  "blob:https://example.com/x",
  "javascript:alert(1)",
  " https://example.com",
  "https://example.com ",
  "https://exa\tmple.com",
  "https://example.com\n",
  "https://a b.example",
  // Characters that the URL standard allows in a host, and that would begin another directive of a header.
  "https://a;script-src",
  "https://a,b.example",
  "https://a'b.example",
  'https://a"b.example',
  "https://a{b}.example",
  "https://",
  `https://${"a".repeat(254)}`,
])("%j is refused", (given) => {
  expect(normalizeOrigin(given)).toBeUndefined();
});
