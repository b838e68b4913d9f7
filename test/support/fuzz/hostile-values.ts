/** Values that a hostile caller or a broken client may send in a field. */
import type { SeededRandom } from "../../simulation/seeded-random.ts";

const LONG = 100_000;

/** JSON text, not values: half surrogates, prototype keys and odd numbers must arrive unchanged. */
const HOSTILE_JSON: readonly string[] = [
  "null",
  "true",
  "0",
  "-0",
  "-1",
  "1.5",
  "1e999",
  "-1e999",
  "9007199254740993",
  "99999999999999999999999999",
  "1e-400",
  '""',
  '" "',
  '"a"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u202e\\u2066\\ufeff"',
  '"é\\u0301"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"hasOwnProperty"',
  '"../../etc/passwd"',
  '"..%2f..%2f"',
  '"%00"',
  '"\\r\\nSet-Cookie: a=b"',
  `"' OR 1=1 --"`,
  '"{{7*7}}${7*7}[x]"',
  '"<script>alert(1)</script>"',
  '"$.a..b[?(@.x)]"',
  '"(((((((((((((((((((("',
  '"(a+)+$"',
  "[]",
  "[null]",
  "[[[[[[[[[[]]]]]]]]]]",
  "{}",
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"":""}',
  '{"toString":1,"valueOf":1,"toJSON":1}',
  '{"a":1,"a":2}',
];

/** One hostile value as JSON text; `foreign` are ids of another workspace. */
export function hostileJson(random: SeededRandom, foreign: readonly string[]): string {
  const draw = random.below(12);
  if (draw < 2) {
    return JSON.stringify(random.pick(foreign));
  }
  if (draw === 2) {
    return JSON.stringify("x".repeat(random.pick([255, 256, 1000, 5000, LONG])));
  }
  if (draw === 3) {
    const many = random.pick([101, 1001, 10_001]);
    return `[${Array.from({ length: many }, () => random.pick(["0", '"a"', "{}"])).join()}]`;
  }
  if (draw === 4) {
    const depth = random.pick([50, 99, 101, 2000]);
    return random.chance(0.5)
      ? "[".repeat(depth) + "]".repeat(depth)
      : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  }
  if (draw === 5) {
    return JSON.stringify(randomText(random));
  }
  return random.pick(HOSTILE_JSON);
}

/** For places that contain text only: paths, queries, headers. */
export function hostileText(random: SeededRandom, foreign: readonly string[]): string {
  const json = hostileJson(random, foreign);
  if (json.length > 4000) {
    return json.slice(0, 4000);
  }
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : json;
  } catch {
    return json;
  }
}

/** Code points from all planes, including halves of surrogate pairs. */
function randomText(random: SeededRandom): string {
  let text = "";
  for (let left = random.int(1, 40); left > 0; left -= 1) {
    text += String.fromCharCode(
      random.pick([random.int(0, 0x7f), random.int(0, 0xffff), random.int(0xd800, 0xdfff)]),
    );
  }
  return text;
}
