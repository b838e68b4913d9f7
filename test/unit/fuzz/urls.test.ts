/**
 * Addresses composed of parts that parsers read differently: accepted ones are public according to
 * an independent check.
 */
import { BlockList, isIP } from "node:net";
import { expect, test } from "vitest";
import { checkUrl } from "../../../src/platform/egress/check-url.ts";
import {
  HOSTILE_URLS,
  PUBLIC_LITERAL_URLS,
  PUBLIC_URLS,
} from "../../support/egress/url-vectors.ts";
import { executionsOf } from "../../support/sizes.ts";
import { fuzzReader, type ReaderFuzz } from "../../support/fuzz/fuzz-reader.ts";
import { heap } from "../../support/fuzz/mutate.ts";
import type { SeededRandom } from "../../simulation/seeded-random.ts";

const PIECES = [
  "https://",
  "http://",
  "https:",
  "//",
  "/",
  "\\",
  "@",
  ":",
  "443",
  "80",
  ".",
  "。",
  "．",
  "..",
  "%2e",
  "%00",
  "127",
  "0x7f",
  "0177",
  "2130706433",
  "1",
  "0",
  "255",
  "256",
  "10",
  "169.254.169.254",
  "192.168",
  "[",
  "]",
  "::1",
  "::ffff:",
  "64:ff9b::",
  "2002:7f00:1::",
  "fe80::",
  "%25eth0",
  "localhost",
  "local",
  "internal",
  "example",
  "com",
  "example.com",
  "ⓛⓞⓒⓐⓛ",
  "１２７",
  "xn--",
  "user",
  "?",
  "#",
  " ",
  "\t",
  "\n",
  "\u0000",
  "\ud800",
  "8.8.8.8",
  "1.1.1.1",
  "[2606:4700:4700::1111]",
  "٣",
  "ß",
  "-",
  "_",
  "*",
  "<",
  "^",
];
const SEEDS = [...HOSTILE_URLS, ...PUBLIC_LITERAL_URLS, ...PUBLIC_URLS];

/** None of these is public according to Node's own ranges. */
const PRIVATE = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  PRIVATE.addSubnet(net, bits, "ipv4");
}

interface Input {
  readonly text: string;
  readonly allowsIpLiterals: boolean;
}
type Check = (input: Input) => ReturnType<typeof checkUrl>;
const checkOurs: Check = ({ text, allowsIpLiterals }) =>
  checkUrl(text, { loopback: new Set(), allowsIpLiterals });

const draw = (random: SeededRandom): Input => {
  const text = random.chance(0.5)
    ? `${random.chance(0.7) ? "https://" : ""}${heap(random, PIECES, 10)}`
    : spliced(random, random.pick(SEEDS));
  return { text, allowsIpLiterals: random.chance(0.5) };
};

function spliced(random: SeededRandom, seed: string): string {
  const at = random.below(seed.length + 1);
  return seed.slice(0, at) + heap(random, PIECES, 2) + seed.slice(at + random.below(3));
}

/** Properties of an accepted address, checked without ipaddr.js. */
function problem({ text, allowsIpLiterals }: Input, checked: ReturnType<Check> | undefined) {
  if (checked === undefined || !checked.isAllowed) {
    return undefined;
  }
  const url = URL.parse(text);
  if (url === null) {
    return "it accepts a text that is not a URL";
  }
  const { protocol, username, password, port, hostname, href } = url;
  const host = hostname.replaceAll(/[[\]]/g, "");
  const family = isIP(host);
  const rules: readonly (readonly [boolean, string])[] = [
    [protocol === "https:", "not https"],
    [username === "" && password === "", "credentials"],
    [port === "", "a port"],
    [href === checked.url.href, "another address than was judged"],
    [family === 0 || allowsIpLiterals, "an address in place of a name"],
    [family !== 4 || !PRIVATE.check(host), "a private address of IPv4"],
    // 2000::/3 is all public unicast, and these are its special parts.
    [
      family !== 6 ||
        (/^[23]/.test(host) &&
          !/^(?:2001:(?:0|[0-9a-f]{1,2}|1[0-9a-f]{2}|db8)?:|2002:|3fff:)/.test(host)),
      "a special address of IPv6",
    ],
    [
      family !== 0 || /^[^.]+(?:\.[^.]+)+$/.test(host),
      "a name without a dot, or with an empty label",
    ],
    [!/(?:^|\.)(?:localhost|local|internal|lan)$/.test(host), "a private name"],
    // oxlint-disable-next-line no-control-regex -- control characters are rejected on purpose
    [!/[\u0000-\u0020\\]/.test(text), "characters that parsers drop"],
  ];
  const broken = rules.find(([holds]) => !holds);
  return broken === undefined ? undefined : `it lets through ${broken[1]}: ${href}`;
}

const fuzzOf = (read: Check): ReaderFuzz<Input, ReturnType<Check>> => ({
  name: "urls",
  seed: 20_261_120,
  executions: executionsOf(20_000),
  draw,
  read,
  isRefusal: () => false,
  judge: problem,
});

test("an address that the guard accepts is public, and no address makes it throw", async () => {
  let allowed = 0;
  const report = await fuzzReader(
    fuzzOf((input) => {
      const checked = checkOurs(input);
      allowed += checked.isAllowed ? 1 : 0;
      return checked;
    }),
  );
  process.stderr.write(`${report.text}, ${allowed} let through\n`);
  expect(report.findings).toEqual([]);
  expect(allowed).toBeGreaterThan(report.executions / 100);
}, 600_000);

test.each<[string, Check, RegExp]>([
  [
    "a guard that compares names with their trailing dot",
    (input) => {
      const checked = checkOurs(input);
      const url = URL.parse(input.text);
      return url?.protocol === "https:" &&
        url.hostname.endsWith(".") &&
        url.port === "" &&
        url.username === ""
        ? { isAllowed: true, url, isLoopback: false }
        : checked;
    },
    /empty label|private name/,
  ],
  [
    "a guard that reads addresses by a pattern",
    (input) => {
      const checked = checkOurs(input);
      const url = URL.parse(input.text);
      return url?.protocol === "https:" && /^https:\/\/(?:0x|\d{6})/.test(input.text)
        ? { isAllowed: true, url, isLoopback: false }
        : checked;
    },
    /private address|a port|credentials|in place of a name/,
  ],
  [
    "a guard that forgets what parsers drop",
    (input) => checkOurs({ ...input, text: input.text.replaceAll(/[\t\n ]/g, "") }),
    /characters that parsers drop|no URL/,
  ],
])("the fuzzer finds %s", async (_name, read, expected) => {
  const { findings } = await fuzzReader({ ...fuzzOf(read), executions: 5_000 });
  expect(findings.map((finding) => finding.problem).join("\n")).toMatch(expected);
});
