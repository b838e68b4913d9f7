/**
 * Many requests, font checks and archives at once: those of one isolate stay below 100 MB together, because all of them
 * ask its budget. With a fault that asks for nothing they do not, and with one that keeps a lease the budget shows it.
 */
import "../support/only-in-proof.ts";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectFound } from "../support/node/live-bytes/expect-found.ts";
import { ARCHIVE_PART, FONT_HELD, MEMORY_FAULTS } from "../support/node/live-bytes/watch-points.ts";
import { FONTS_HELD, together } from "../support/node/live-bytes/together.ts";
import { WatchedService } from "../support/node/live-bytes/watched-service.ts";
import { waitUntil } from "../support/wait-until.ts";

const MB = 1024 * 1024;
const BYTES_MAX = 100 * MB;
const FONT = fileURLToPath(
  new URL(
    "../../node_modules/@expo-google-fonts/noto-serif/400Regular/NotoSerif_400Regular.ttf",
    import.meta.url,
  ),
);

let watched: WatchedService;

beforeAll(async () => {
  const faults = Object.values(MEMORY_FAULTS);
  watched = await WatchedService.start({
    points: { runner: [ARCHIVE_PART] },
    faults: { api: faults, runner: [...faults, FONT_HELD] },
  });
});

afterAll(() => watched?.stop());

type Act = () => Promise<unknown>;
type Prepare = (count: number, megabytes: number) => Promise<Act>;

/** So many at once, each of a tenant of its own. */
async function many(count: number, one: (tenant: WatchedService) => Promise<Act>): Promise<Act> {
  const acts: Act[] = [];
  for (let i = 0; i < count; i++) {
    acts.push(await one(await watched.newTenant()));
  }
  return () => Promise.all(acts.map((act) => act()));
}

const PIECE = Buffer.alloc(MB, "0123456789abcdef");
function* pieces(megabytes: number) {
  for (let i = 0; i < megabytes; i++) {
    yield PIECE;
  }
}

/** While the fault is planted that work does not wait for memory. */
let isFaulty = false;

/** Clients of uploads stop where most of the first part has been sent, so that all parts are held at once. */
const STOP_MS = 1_500;
/** While the fault is planted, memory is held until it was found, however long a busy machine needs to receive everything. */
const HOLD_MAX_MS = 120_000;
/** What is held then: so much more than the bound that every machine finds it. */
const HELD_BYTES = 1.5 * BYTES_MAX;

/** Files in parts of 5 or 8 MiB. */
const uploads: Prepare = (count, megabytes) => {
  async function* stopping() {
    yield* pieces(7);
    await (isFaulty
      ? watched.watch("api").hasSeen(HELD_BYTES, HOLD_MAX_MS)
      : new Promise((resolve) => setTimeout(resolve, STOP_MS)));
    yield* pieces(megabytes - 7);
  }
  return many(count, (tenant) => Promise.resolve(() => tenant.upload("large.txt", stopping())));
};

/** Fonts, which are read whole and copied into HarfBuzz. */
const fonts: Prepare = async (count, megabytes) => {
  const font = await readFile(FONT);
  const bytes = Buffer.concat([font, Buffer.alloc(megabytes * MB - font.length)]);
  return many(count, async (tenant) => {
    const authorization = `Bearer ${await tenant.client.token()}`;
    return async () => {
      const form = new FormData();
      form.append("displayName", "Large");
      form.append("category", "serif");
      form.append("licenseAcknowledged", "true");
      form.append("files", new File([bytes], "large.ttf"));
      await tenant.wake();
      const response = await fetch(`${watched.service.baseUrl}/api/v1/fonts`, {
        method: "POST",
        headers: { authorization },
        body: form,
      });
      const text = await response.text();
      if (isFaulty && text.includes("takes too long")) {
        // All checks at once may take longer than one check may.
        return;
      }
      expect(response.status, text).toBe(201);
    };
  });
};

/** Archives, built in parts. */
const archives: Prepare = (count, megabytes) =>
  many(count, async (tenant) => {
    const asset_path = await tenant.upload("large.txt", pieces(megabytes));
    const workflow = await tenant.publish(
      "copy",
      [
        { id: "file", type: "input/document" },
        { id: "out", type: "output/document", parameters: { key: "out" } },
      ],
      ["file.document > out.document"],
    );
    const { id } = await tenant.run(workflow, { file: { asset_path } });
    return async () => {
      await tenant.call("POST", `/api/v1/executions/${id}/zip`);
      await waitUntil(
        "the export's end",
        async () => {
          const path = `/api/v1/executions/${id}/zip/status`;
          return (await tenant.call<{ status: string }>("GET", path)).status === "completed";
        },
        300_000,
      );
    };
  });

/** How many of it ask at once, with how many megabytes each. */
interface Asked {
  readonly count: number;
  readonly megabytes: number;
}

/**
 * What asks, in which Worker, how much of it, and while the fault is planted: as much that 1.4 of the bound is exceeded, and how
 * they wait for each other. Uploads wait in their clients, because one that has to wait takes smaller parts.
 */
const ASKERS: readonly (readonly [
  string,
  "api" | "runner",
  Prepare,
  Asked,
  Asked & { readonly waits?: string },
])[] = [
  ["uploads", "api", uploads, { count: 16, megabytes: 12 }, { count: 24, megabytes: 10 }],
  [
    "font checks",
    "runner",
    fonts,
    { count: 11, megabytes: 20 },
    { count: 6, megabytes: 20, waits: FONTS_HELD },
  ],
  [
    "archives",
    "runner",
    archives,
    { count: 14, megabytes: 24 },
    { count: 22, megabytes: 12, waits: together(22) },
  ],
];

describe.each(ASKERS)("%s", (name, worker, prepare, { count, megabytes }, faulty) => {
  test("stay below 100 MB, and release all of it", { timeout: 300_000 }, async () => {
    const act = await prepare(count, megabytes);
    const watch = watched.watch(worker);
    const { most, at } = await watch.during(act);
    process.stderr.write(`live bytes: many ${name}: ${(most / MB).toFixed(1)} MB in all, ${at}\n`);
    expect(most, `bytes in use, ${at}`).toBeLessThan(BYTES_MAX);
    await waitUntil("the last lease's end", async () => (await watch.takenBytes()) === 0, 300_000);
  });

  test("that ask for no memory are found", { timeout: 300_000 }, async () => {
    const act = await prepare(faulty.count, faulty.megabytes);
    isFaulty = true;
    try {
      const watch = watched.watch(worker);
      const acts = async () => {
        const acting = act();
        if (faulty.waits === FONTS_HELD) {
          await watch.hasSeen(HELD_BYTES, HOLD_MAX_MS);
          await watch.endBefore();
        }
        await acting;
      };
      const { most } = await watch.duringFault(MEMORY_FAULTS.unasked, acts, faulty.waits);
      expectFound(`${name} that ask for nothing`, most, BYTES_MAX);
    } finally {
      isFaulty = false;
    }
  });
});

// Last, because what they keep is kept.
test.each(ASKERS)(
  "%s that keep their memory are found",
  { timeout: 300_000 },
  async (_name, worker, prepare) => {
    const act = await prepare(1, 8);
    const watch = watched.watch(worker);
    const before = await watch.takenBytes();
    await watch.duringFault(MEMORY_FAULTS.kept, act);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await watch.takenBytes()).toBeGreaterThan(before);
  },
);
