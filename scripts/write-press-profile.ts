/** Writes a color profile of an imaginary press to a file, to try PDF/X-4 with: `node scripts/write-press-profile.ts press.icc`. */
import { writeFile } from "node:fs/promises";
import { pressProfile } from "./press-profile.ts";

const [path] = process.argv.slice(2);
if (path === undefined) {
  console.error("The path of the file to write is missing.");
  process.exitCode = 2;
} else {
  await writeFile(path, pressProfile());
}
