/** The commands for a new user work as printed: the demo and its three curl commands. */
import { createHash } from "node:crypto";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../scripts/free-port.ts";
import { parseCsv } from "../../scripts/parse-csv.ts";
import { readAirports } from "../../scripts/read-airports.ts";
import type { AudioQualityReport } from "../../src/contracts/media/audio-reports.ts";
import type { DubbingManifest } from "../../src/contracts/media/dubbing-manifest.ts";
import { readImageHeader } from "../../src/images/header/read-image-header.ts";
import { MemorySource } from "../../src/lib/files/memory-source.ts";
import { openMedia } from "../../src/media/container/open-media.ts";
import { readTimedTexts } from "../support/media/quicktime-text.ts";
import { readPdfTexts } from "../support/pdf/read-pdf-texts.ts";
import { readCode } from "../support/node/read-code.ts";
import { readZip } from "../support/read-zip.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { testInProof } from "../support/in-proof.ts";

const run = promisify(execFile);

/** Seconds of a time like `0m7.512s`. */
function secondsOf(time: string): number {
  const [minutes, seconds] = time.split("m");
  return Number(minutes) * 60 + Number.parseFloat(seconds!);
}

/** Time and bytes of each picture of a film. */
async function picturesOf(film: Uint8Array) {
  const { tracks } = await openMedia(new MemorySource(film, ""));
  const pictures: { pts: number; md5: string }[] = [];
  for await (const { pts, data } of tracks.find(({ kind }) => kind === "video")!.packets()) {
    pictures.push({ pts, md5: createHash("md5").update(data).digest("hex") });
  }
  return pictures;
}

/** The levels that each lane of a waveform shows, from left to right. */
async function columnsOf(file: string): Promise<readonly (readonly number[])[]> {
  const svg = await readFile(file, "utf8");
  return [...svg.matchAll(/points="([^"]+)"/g)].map(([, points]) => {
    const heights = points!.split(" ").map((point) => Number(point.split(",")[1]));
    const columns = heights.length / 2;
    // The lower edge follows the upper one, from right to left.
    return heights.slice(0, columns).map((upper, at) => (heights.at(-1 - at)! - upper) / 2);
  });
}

/** Where the demo ran, and what it printed. */
let directory: string;
let printed: string;
/** Processor time of the demo and its service, which does not depend on what else the machine does. */
let workSeconds: number;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-demo-"));
  // The last line of `times` has the user and system time of the commands before.
  const demo = `"${process.execPath}" "${resolve("scripts/demo.ts")}" && times`;
  const { stdout } = await run("bash", ["-c", demo], { cwd: directory });
  const [times, user, system] = /(\d+m[\d.]+s) (\d+m[\d.]+s)\n$/.exec(stdout)!;
  workSeconds = secondsOf(user!) + secondsOf(system!);
  printed = stdout.slice(0, -times.length);
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe("the demo", () => {
  it("ends by itself without a terminal, after less than 30 s of work, and shows progress with counts and rate", () => {
    expect(workSeconds).toBeGreaterThan(0.5);
    expect(workSeconds).toBeLessThan(30);
    expect(printed).toMatch(/100 % {2}[\d,]+ items, [\d,]+ a second/);
    expect(printed).toContain("3,376 rows");
  });

  it("leaves a picture for each airport of the state, and JSON", async () => {
    const pictures = await readdir(join(directory, "demo-output/map_codes"));
    expect(pictures).toHaveLength(49);
    const [first] = await readCode(
      await readFile(join(directory, "demo-output/map_codes/0000.png")),
    );
    expect(first).toMatch(/^geo:-?\d+\.\d+,-?\d+\.\d+$/);
    const rows = JSON.parse(
      await readFile(join(directory, "demo-output/directory.json"), "utf8"),
    ) as unknown[];
    expect(rows).toHaveLength(3376);
  });

  it("uploads its file, and fetches every output as one ZIP that it names", async () => {
    expect(printed).toMatch(
      / {2}uploaded airports\.csv, [\d.]+ kB, as assets\/[\w/]+\/airports\.csv\n/,
    );
    const [, files, zip] = /^All (\d+) files in one ZIP, [\d.]+ kB: (.+\.zip)$/m.exec(printed)!;
    const found = readZip(new Uint8Array(await readFile(join(directory, zip!))));
    expect(found.size).toBe(Number(files));
    const pictures = [...found.keys()].filter((name) => name.startsWith("map_codes/"));
    expect(pictures).toHaveLength(49);
    const loose = await readFile(join(directory, "demo-output/map_codes/0007.png"));
    expect(Buffer.from(found.get("map_codes/map-code-7.png")!).equals(loose)).toBe(true);
  });

  it("leaves a catalog with a card for each airport of the state, between a cover and a last page", async () => {
    const pages = await readPdfTexts(await readFile(join(directory, "demo-output/catalog.pdf")));
    expect(pages).toHaveLength(51);
    expect(pages[0]).toMatch(/Airports\s+CO\s+49 airports/);
    const cards = pages.slice(1, -1);
    const airports = (await readAirports()).filter(({ state }) => state === "CO");
    expect(airports.map(({ iata }, at) => cards[at]!.includes(iata))).toEqual(
      airports.map(() => true),
    );
    expect(pages.at(-1)).toContain("49 cards");
    expect(printed).toContain("A catalog of 49 cards");
  });

  it("leaves pictures, a caption and a spoken line by the sample models, and names the way to real ones", async () => {
    const folder = join(directory, "demo-output/models");
    const scenes = ["marble", "wood_table"].flatMap((scene) =>
      [1, 2, 3].map((variant) => `${scene}_${variant}.png`),
    );
    expect((await readdir(folder)).toSorted()).toEqual(
      ["caption.json", "line.wav", "product.png", ...scenes].toSorted(),
    );
    const pictures = await Promise.all(
      ["product.png", ...scenes].map((name) => readFile(join(folder, name))),
    );
    expect(new Set(pictures.map((bytes) => bytes.toString("base64"))).size).toBe(7);
    const sizes = await Promise.all(pictures.map((bytes) => sharp(bytes).metadata()));
    expect(sizes.map(({ width, height }) => `${width}x${height}`)).toEqual([
      "512x512",
      ...scenes.map(() => "1024x1024"),
    ]);
    const caption: unknown = JSON.parse(await readFile(join(folder, "caption.json"), "utf8"));
    expect(Object.keys(caption as object).toSorted()).toEqual(["description", "title"]);
    const sound = await readFile(join(folder, "line.wav"));
    expect(sound.subarray(0, 4).toString()).toBe("RIFF");
    expect(printed).toContain("Calls: sample-image (7), sample-text (1), sample-voice (1).");
    expect(printed).toContain("npm run cli -- providers add (docs/providers.md)");
  });

  it("leaves a podcast at the loudness of podcasts, in which the music gives way to the voice", async () => {
    const folder = join(directory, "demo-output/podcast");
    expect((await readdir(folder)).toSorted()).toEqual([
      "ducking_report.json",
      "episode.mp3",
      "music.wav",
      "report.json",
      "voice.wav",
      "waveform.svg",
    ]);
    const report = JSON.parse(
      await readFile(join(folder, "report.json"), "utf8"),
    ) as AudioQualityReport;
    expect(report).toMatchObject({ container: "mp3", sample_rate: 48_000, channels: 2 });
    expect(Math.abs((report.loudness.integrated_lufs ?? 0) + 16)).toBeLessThan(0.5);
    expect(report.peaks.true_peak_dbtp).toBeLessThan(-1);
    expect(printed).toMatch(
      /A podcast in \S+: 16\.6 s of a sample voice over music, at -1[56]\.\d LUFS/,
    );

    const [voice, music] = await columnsOf(join(folder, "waveform.svg"));
    const middle = (levels: readonly number[]) =>
      levels.toSorted((a, b) => a - b)[levels.length >> 1]!;
    const speaking = music!.filter((_level, column) => voice![column]! > 1);
    const before = music!.slice(0, 60);
    expect(voice!.slice(0, 60).every((level) => level < 0.1)).toBe(true);
    expect(middle(before) / middle(speaking)).toBeGreaterThan(3);
  });

  it("leaves a dubbed film: its pictures, each line in its time, subtitles, and a manifest that passed", async () => {
    const folder = join(directory, "demo-output/dub");
    const names = ["film.mp4", "manifest.json", "subtitles.srt", "thumbnail.jpg", "voices.wav"];
    expect((await readdir(folder)).toSorted()).toEqual(names);
    const [film, manifest, subtitles, thumbnail, voices] = await Promise.all(
      names.map((name) => readFile(join(folder, name))),
    );
    const source = await readFile("samples/dub/film.mp4");
    expect(await picturesOf(film!)).toEqual(await picturesOf(source));
    expect(readImageHeader(thumbnail!)).toMatchObject({ format: "jpeg", width: 480, height: 270 });
    const rows = (await readFile("samples/dub/cues.csv", "utf8")).trim().split("\n").slice(1);
    const lines = rows.map((row) => {
      const [, id, start, end, , voice, text] = /^(\w+),([\d.]+),([\d.]+),(\w+),(\w+),"(.+)"$/.exec(
        row,
      )!;
      return { id, start: Number(start), end: Number(end), voice, text };
    });
    expect(lines).toHaveLength(4);
    const [track] = readTimedTexts(film!);
    const shown = track!.samples.filter(({ text }) => text !== "");
    expect(track).toMatchObject({ entry: "tx3g", language: "eng", isEnabled: true });
    expect(shown).toEqual(
      lines.map(({ start, end, text }) => ({ startMs: start * 1000, endMs: end * 1000, text })),
    );
    expect(subtitles!.toString().match(/ --> /g)).toHaveLength(4);

    const dub = JSON.parse(manifest!.toString()) as DubbingManifest;
    expect(dub).toMatchObject({
      passed: true,
      timeline: { sample_rate: 48_000, samples: 576_000 },
    });
    const rate = 48_000;
    expect(
      dub.cues.map(({ cue_id: id, voice, start_sample: start, samples }) => [
        id,
        voice,
        start,
        samples,
      ]),
    ).toEqual(
      lines.map(({ id, voice, start, end }) => [
        id,
        voice,
        start * rate,
        Math.round((end - start) * rate),
      ]),
    );
    // 16 bits, mono: silence between the lines, and sound in each.
    const samples = voices!.subarray(44);
    expect(samples.byteLength).toBe(576_000 * 2);
    const part = (from: number, to: number) =>
      samples.subarray(Math.round(from * rate) * 2, Math.round(to * rate) * 2);
    for (const [index, { start, end }] of lines.entries()) {
      expect(part(lines[index - 1]?.end ?? 0, start).every((byte) => byte === 0)).toBe(true);
      expect(part(start, end).some((byte) => byte !== 0)).toBe(true);
    }
    expect(printed).toMatch(
      /A dub in \S+: 4 lines in 12 s of film, spoken by Ann \(high\) and Narrator \(low\)/,
    );
  });

  it("leaves a label for each row of a batch, of which one failed, and prints what its fix changed", async () => {
    const folder = join(directory, "demo-output/labels");
    const [, ...rows] = parseCsv(await readFile("samples/labels/products.csv", "utf8"));
    expect((await readdir(folder)).toSorted()).toEqual(
      rows.map(([, product]) => `${product}.png`).toSorted(),
    );
    for (const [number = "", product, price, kilos] of rows) {
      const label = await readFile(join(folder, `${product}.png`));
      const perKilo = Number(kilos) === 0 ? Number(price) : Number(price) / Number(kilos);
      const codes = await readCode(label);
      expect(codes.toSorted()).toEqual(
        [number, `${product}: ${String(Number(perKilo.toFixed(2)))} a kg`].toSorted(),
      );
    }
    expect(printed).toContain(
      '5 completed and "Cinnamon" failed with CALC_DIVISION_BY_ZERO.\n  Its workflow fixed, a retry ran that row alone and took over 1 of its elements: 6 completed, 0.3 credits in all.',
    );
    expect(printed).toContain(`
    status: failed → completed, version 1 → 2
    node per_kilo changed, replace /parameters/expression "round(if(kilos == 0, price, price / kilos), 2)"
    per_kilo: failed → completed
    line: blocked → completed
    price_bars: blocked → completed
    label: blocked → completed
    label_out: blocked → completed
    output label: missing → present
`);
  });

  it("makes the token readable by its owner only", async () => {
    const { mode } = await stat(join(directory, "demo-output/authorization"));
    expect(mode & 0o777).toBe(0o600);
  });
});

describe("the local service, on the demo's folder and port as the demo prints them,", () => {
  let first: RunningService;
  beforeAll(async () => {
    const [, persist, port] = /npm run dev -- --persist (\S+) --port (\d+)/.exec(printed)!;
    first = await startService({ directory: join(directory, persist!), port: Number(port) });
  });
  afterAll(() => first?.stop());

  it("runs the three curl commands that the demo prints", async () => {
    const curls = printed.split("\n").filter((line) => line.startsWith("  curl "));
    expect(curls).toHaveLength(3);
    const [execution, submitted, nodeTypes] = await Promise.all(
      curls.map(async (line) => {
        const { stdout } = await run("bash", ["-c", line], { cwd: directory });
        return JSON.parse(stdout) as Record<string, unknown>;
      }),
    );
    expect(execution).toMatchObject({ status: "completed", workflow_name: "Airport guide" });
    expect(submitted).toMatchObject({ workflow_name: "Greeting card" });
    expect(nodeTypes!["data"]).toHaveLength(5);
  });

  testInProof(
    "takes a folder over from a service that was killed, and from half a claim",
    async () => {
      const directory = await mkdtemp(join(tmpdir(), "edgeloom-test-"));
      try {
        const first = await startService({ directory });
        await first.kill();
        const second = await startService({ directory });
        expect(await second.stop()).toBe(0);
        expect(await readdir(directory)).not.toContain("service.lock");
        await writeFile(join(directory, "service.lock"), '{"pid":');
        const third = await startService({ directory });
        expect(await third.stop()).toBe(0);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
  );

  describe("while another one runs", () => {
    it("reports that it uses the folder, and leaves its credentials unchanged", async () => {
      const port = await freePort();
      const said = await startService({ directory: first.directory, port }).then(
        () => "started",
        (error: unknown) => String(error),
      );
      expect(said).toMatch(/edgeloom-demo-\S+ is in use by process \d+\. .* --persist/);
      const kept = await readFile(join(first.directory, "credentials.json"), "utf8");
      expect(JSON.parse(kept)).toMatchObject({ base_url: first.baseUrl });
    });

    it("reports its port as in use, and exits", async () => {
      const other = await mkdtemp(join(tmpdir(), "edgeloom-port-"));
      const child = spawn(process.execPath, [
        "scripts/dev.ts",
        "--port",
        String(first.port),
        "--persist",
        other,
      ]);
      let told = "";
      child.stderr.on("data", (chunk: Buffer) => {
        told += chunk.toString();
      });
      const code = await new Promise((done) => {
        child.once("exit", done);
      });
      await rm(other, { recursive: true, force: true });
      expect(code).toBe(1);
      expect(told).toContain(`Port ${first.port} is in use`);
    });
  });

  it("keeps its key, its secrets and its workflows over a restart, and exits with code 0", async () => {
    const listed = await first.client.call<{ total_count: number }>("GET", "/api/v1/workflows");
    const secrets = await readFile(join(first.directory, "secrets.json"), "utf8");
    const token = await first.client.token();
    for (const name of ["credentials.json", "secrets.json"]) {
      expect((await stat(join(first.directory, name))).mode & 0o777).toBe(0o600);
    }
    expect(Object.keys(first.credentials).sort()).toEqual([
      "admin_token",
      "app_url",
      "base_url",
      "client_id",
      "client_secret",
      "org_id",
      "workspace_id",
    ]);
    await first.kill();
    const second = await startService({ directory: first.directory, port: first.port });
    try {
      expect(second.credentials).toEqual(first.credentials);
      expect(await readFile(join(first.directory, "secrets.json"), "utf8")).toBe(secrets);
      const response = await fetch(`${second.baseUrl}/api/v1/workflows`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ total_count: listed.total_count });
    } finally {
      expect(await second.stop()).toBe(0);
    }
  });
});
