/**
 * Makes `samples/dub/film.mp4`, which is committed: twelve seconds of a sun that crosses the sky, with music. Needs ffmpeg with
 * libx264 (the program is not a part of the service, and its license is not that of what it writes).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { podcastMusic } from "./podcast-music.ts";

const FILM = fileURLToPath(new URL("../samples/dub/film.mp4", import.meta.url));
const SECONDS = 12;
const RATE = 12;
const [WIDTH, HEIGHT] = [480, 270];

/** The sky from night over day to night, as red, green and blue at moments of equal distance. */
const SKY = [
  [23, 37, 84],
  [251, 146, 60],
  [186, 230, 253],
  [125, 211, 252],
  [186, 230, 253],
  [249, 115, 22],
  [30, 27, 75],
] as const;

function skyAt(moment: number): string {
  const place = moment * (SKY.length - 1);
  const [from = SKY[0], to = SKY[0]] = SKY.slice(Math.floor(place), Math.floor(place) + 2);
  const share = place - Math.floor(place);
  return `rgb(${from.map((level, i) => Math.round(level + ((to[i] ?? level) - level) * share)).join(",")})`;
}

function frame(moment: number): string {
  const angle = Math.PI * (1.05 - 1.1 * moment);
  const x = WIDTH / 2 + 190 * Math.cos(angle);
  const y = 230 - 180 * Math.sin(angle);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
    <rect width="100%" height="100%" fill="${skyAt(moment)}"/>
    <circle cx="${x.toFixed(2)}" cy="${y.toFixed(2)}" r="28" fill="#fde68a"/>
    <path d="M0 270V205Q80 150 180 200T360 185T480 200V270Z" fill="#3f6212"/>
    <path d="M0 270V235Q120 190 250 235T480 225V270Z" fill="#1a2e05"/>
  </svg>`;
}

const folder = mkdtempSync(join(tmpdir(), "sample-film-"));
try {
  writeFileSync(join(folder, "music.wav"), podcastMusic());
  for (let index = 0; index < SECONDS * RATE; index++) {
    const picture = sharp(Buffer.from(frame(index / (SECONDS * RATE - 1))));
    // oxlint-disable-next-line no-await-in-loop -- picture after picture, in little memory
    await picture.png().toFile(join(folder, `${String(index).padStart(3, "0")}.png`));
  }
  const pictures = ["-framerate", String(RATE), "-i", join(folder, "%03d.png")];
  const video = ["-c:v", "libx264", "-preset", "veryslow", "-crf", "26", "-pix_fmt", "yuv420p"];
  const color = ["-vf", "scale=out_color_matrix=bt709", "-colorspace", "bt709", "-g", "36"];
  const sound = ["-i", join(folder, "music.wav"), "-c:a", "aac", "-b:a", "64k"];
  const exact = ["-map_metadata", "-1", "-fflags", "+bitexact", "-flags", "+bitexact"];
  const length = ["-t", String(SECONDS)];
  const coding = [...video, ...color, "-threads", "1", ...exact, "-movflags", "+faststart"];
  const options = ["-v", "error", "-y", ...pictures, ...sound, ...length, ...coding, FILM];
  const { status, stderr } = spawnSync("ffmpeg", options);
  if (status !== 0) {
    throw new Error(`ffmpeg ended with ${String(status)}: ${stderr.toString()}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
