import type { SeededRandom } from "../../simulation/seeded-random.ts";
import { mutate } from "../fuzz/mutate.ts";

/** Marks of boxes and elements, and sizes that overflow. */
const WORDS = [
  "moov",
  "trak",
  "elst",
  "ctts",
  "stss",
  "avcC",
  "\u00ff\u00ff\u00ff\u00ff",
  "\u0001\u0000",
  "\u0000\u0000\u0000\u0000",
];

/** Mostly a byte or two of the tables, which are a small part of a film. */
export function damagedFilm(random: SeededRandom, film: Uint8Array): Uint8Array {
  const bytes = Buffer.from(film);
  const at = bytes.indexOf("moov", undefined, "latin1");
  const from = Math.max(0, at);
  const to = Math.min(film.length, at < 0 ? 600 : at + 1_500);
  if (random.chance(0.2)) {
    return mutate(random, film, WORDS);
  }
  if (random.chance(0.2)) {
    const head = mutate(random, film.subarray(from, to), WORDS);
    return Uint8Array.from(Buffer.concat([bytes.subarray(0, from), head, bytes.subarray(to)]));
  }
  for (let changes = random.int(1, 2); changes > 0; changes--) {
    bytes[random.int(from, to - 1)] = random.pick([0, 1, 2, 0x7f, 0x80, 0xff, random.below(256)]);
  }
  return Uint8Array.from(bytes);
}
