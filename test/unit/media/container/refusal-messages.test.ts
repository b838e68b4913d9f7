/** The message of every refusal of a file names the place and the fix (docs/contract/media.md#bad-files). */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../../src/lib/limits/limits-table.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { openMedia, requireVideoTrack } from "../../../../src/media/container/open-media.ts";
import { openSound } from "../../../../src/media/container/open-sound.ts";
import { hostileSounds } from "../../../support/media/hostile-sounds.ts";
import { DECODERS, mediaFixture } from "../../../support/media/read-codecs.ts";
import { readSound } from "../../../support/media/read-sound.ts";
import { SparseSource } from "../../../support/media/sparse-source.ts";

/** The last sentence of a message is what its reader can do. */
const FIX =
  /(?:^|[.:;] )(?:Add|Ask|Change|Choose|Convert|Correct|Encode|Export|Mix|Remove|Scale|Send|Set|Split) [^.]*\.$/;

const messageOf = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => "read",
    (error: unknown) => (error as Error).message,
  );

const file = (name: string) => {
  const found = hostileSounds().find((each) => each.name === name);
  if (found === undefined) {
    throw new RangeError(`There is no file "${name}".`);
  }
  return found.bytes;
};
const heard = (name: string) => messageOf(readSound(file(name), DECODERS));

const cases: readonly (readonly [
  code: string,
  message: () => Promise<string>,
  expected: string,
])[] = [
  [
    "MEDIA_EMPTY",
    () => heard("a WAV without a sample"),
    "The file's sound has no sample. Send a file with at least one.",
  ],
  [
    "MEDIA_UNREADABLE",
    () => heard("a WAV with samples before the format"),
    "The file is a WAV whose samples stand before their format. Export it again.",
  ],
  [
    "MEDIA_UNREADABLE",
    () => heard("an MP4 with 2^32 sizes"),
    'The file has a box "stsz" of 4294967295 entries; at most 2,000,000 are accepted. Split it.',
  ],
  [
    "MEDIA_UNREADABLE",
    () => heard("an Ogg with ten wrong checksums"),
    "The file has 10 of 300 packets of sound that do not decode; at most 1 % may. Send an undamaged file.",
  ],
  [
    "MEDIA_TRUNCATED",
    () => heard("a WAV that states 4 GiB"),
    "The file is a WAV with 400 of 4294967280 bytes of samples. Send the whole file.",
  ],
  [
    "MEDIA_TRUNCATED",
    () => heard("an MP4 with chunks after the end"),
    "The file ends before its packet at byte 2147418112. Send the whole file.",
  ],
  [
    "MEDIA_ENCRYPTED",
    () => heard("an encrypted MP4"),
    'The file is encrypted (sample entry "enca"). Send a file without encryption.',
  ],
  [
    "MEDIA_ENCRYPTED",
    () => heard("an encrypted WebM"),
    'The file is encrypted (element "ContentEncryption"). Send a file without encryption.',
  ],
  [
    "MEDIA_CODEC_UNSUPPORTED",
    () => heard("an MP4 with AC-3"),
    'The file\'s sound has the codec "ac-3", which is not read; AAC-LC, HE-AAC, ALAC, MP3, Opus, Vorbis, FLAC, and PCM of 8 to 64 bits, A-law and µ-law are. Convert the file first.',
  ],
  [
    "MEDIA_PARAMETERS_UNSUPPORTED",
    () => heard("a WAV of 200 channels"),
    "The file has 200 channels; 1 to 8 are accepted. Convert it first.",
  ],
  [
    "MEDIA_PARAMETERS_UNSUPPORTED",
    () => heard("a WAV of 4 GHz"),
    "The file has a sampling rate of 4000000000 Hz; 8,000 to 192,000 Hz are accepted. Convert it first.",
  ],
  [
    "MEDIA_TOO_LONG",
    () => heard("an MP4 that plays 100 hours"),
    "The file lasts 360000 s; at most 3600 s are accepted. Split it.",
  ],
  [
    "FILE_TOO_LARGE",
    () =>
      messageOf(
        openSound(
          new SparseSource(LIMITS.media_file.value + 1, [0, mediaFixture("cbr.mp3")]),
          DECODERS,
        ),
      ),
    "The file has 1073741825 bytes; at most 1073741824 are accepted. Split it.",
  ],
  [
    "AUDIO_TRACK_MISSING",
    () => heard("an MP4 without sound"),
    "The file has no sound. Send a file with a sound track.",
  ],
  [
    "VIDEO_TRACK_MISSING",
    () =>
      messageOf(openMedia(new MemorySource(mediaFixture("aac.m4a"), "")).then(requireVideoTrack)),
    "The file has no video. Send a file with a video track.",
  ],
];

test.each(cases)(
  "%s says where, what is accepted, and what to do",
  async (_code, message, expected) => {
    expect(await message()).toBe(expected);
    expect(expected).toMatch(FIX);
  },
);

test("each code of the contract is among them", () => {
  const text = readFileSync("docs/contract/media.md", "utf8");
  const section = /## Bad files\n([^]*?)\n## /.exec(text)?.[1] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  const codes = rows.flatMap((line) =>
    [...(line.split("|")[1] ?? "").matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code),
  );
  expect(codes.length).toBeGreaterThanOrEqual(9);
  expect(new Set(cases.map(([code]) => code))).toEqual(new Set(codes));
});

test("every hostile file is told what to do", async () => {
  for (const { name, bytes, outcome } of hostileSounds()) {
    if (outcome !== "read") {
      // oxlint-disable-next-line no-await-in-loop -- file after file
      expect(await messageOf(readSound(bytes, DECODERS)), name).toMatch(FIX);
    }
  }
});

/** The texts in the code with which a file is refused, and which name no fix. */
function withoutFix(code: string): readonly string[] {
  return [...code.matchAll(/(?:unreadableMedia|unsupportedParameter)\(\s*(["'`])([^]*?)\1\s*[,)]/g)]
    .map(([, , text]) => text ?? "")
    .filter((text) => !FIX.test(text));
}

describe("in the code of the readers", () => {
  test("no refusal is without a fix, also those that no file of the tests meets", () => {
    const files = globSync("src/{media,workers/media}/**/*.ts");
    expect(files.length).toBeGreaterThan(100);
    const found = files.flatMap((path) =>
      withoutFix(readFileSync(path, "utf8")).map((text) => `${path}: ${text}`),
    );
    expect(found).toEqual([]);
  });

  test("one without a fix is found", () => {
    const planted = 'throw unreadableMedia("is a WAV without samples.");';
    expect(withoutFix(planted)).toEqual(["is a WAV without samples."]);
    expect(withoutFix(planted.replace("samples.", "samples. Export it again."))).toEqual([]);
  });
});
