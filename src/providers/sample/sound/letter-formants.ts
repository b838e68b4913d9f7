/** The first three resonances of a vocal tract in Hz, and a loudness from 0 to 1. */
export interface Formants {
  readonly frequencies: readonly [number, number, number];
  readonly loudness: number;
}

const of = (f1: number, f2: number, f3: number, loudness: number): Formants => ({
  frequencies: [f1, f2, f3],
  loudness,
});

/**
 * Vowels after G. E. Peterson and H. L. Barney, "Control Methods Used in a Study of the Vowels"
 * (1952), men; consonants by the place where they are formed.
 */
const LETTERS: Readonly<Record<string, Formants>> = {
  a: of(730, 1_090, 2_440, 1),
  e: of(530, 1_840, 2_480, 0.95),
  i: of(270, 2_290, 3_010, 0.85),
  o: of(570, 840, 2_410, 1),
  u: of(300, 870, 2_240, 0.85),
  y: of(390, 1_990, 2_550, 0.85),
  b: of(300, 900, 2_200, 0.5),
  p: of(300, 800, 2_100, 0.4),
  m: of(280, 1_000, 2_200, 0.6),
  w: of(290, 610, 2_150, 0.6),
  f: of(340, 1_100, 2_100, 0.35),
  v: of(300, 1_200, 2_200, 0.45),
  d: of(300, 1_700, 2_600, 0.5),
  t: of(320, 1_800, 2_600, 0.4),
  n: of(280, 1_500, 2_500, 0.6),
  l: of(360, 1_200, 2_700, 0.65),
  r: of(420, 1_300, 1_600, 0.65),
  s: of(320, 1_600, 2_700, 0.35),
  z: of(300, 1_500, 2_600, 0.45),
  j: of(260, 2_070, 3_020, 0.55),
  g: of(300, 1_900, 2_300, 0.5),
  k: of(320, 1_950, 2_400, 0.4),
  c: of(320, 1_850, 2_500, 0.4),
  q: of(310, 1_300, 2_300, 0.4),
  x: of(330, 1_700, 2_400, 0.4),
  h: of(500, 1_500, 2_500, 0.4),
};

/** Vowels that digits and letters of other scripts take in turn. */
const OTHERS: readonly Formants[] = [
  of(490, 1_350, 1_690, 0.9),
  of(640, 1_190, 2_390, 1),
  of(440, 1_020, 2_240, 0.9),
  of(390, 1_990, 2_550, 0.9),
  of(660, 1_720, 2_410, 1),
  of(500, 1_500, 2_500, 0.95),
  of(570, 840, 2_410, 1),
  of(300, 870, 2_240, 0.9),
];

/** Resonances of a letter or digit; accents do not change them. */
export function formantsOf(character: string): Formants {
  const base = character.normalize("NFD").charAt(0).toLowerCase();
  return LETTERS[base] ?? (OTHERS[(character.codePointAt(0) ?? 0) % OTHERS.length] as Formants);
}
