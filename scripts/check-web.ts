/** Checks the budgets of the built browser code (docs/decisions/browser-code.md). */
import type { WebManifest } from "../src/contracts/embeds/web-manifest.ts";
import { readJsonFile } from "./local-secrets.ts";
import { webSizes } from "./web-budgets.ts";

const manifest = await readJsonFile<WebManifest>("dist/assets/embed/manifest.json");
if (manifest === undefined) {
  throw new Error("The browser code is not built. Run npm run build:assets.");
}
const sizes = webSizes(manifest);
console.log(
  `browser code, Brotli: ${sizes
    .map(
      ({ name, bytes, bytesMax, files, filesMax }) =>
        `${name} ${kilobytes(bytes)} of at most ${kilobytes(bytesMax)} in ${String(files)} of at most ${String(filesMax)} files`,
    )
    .join(", ")}`,
);
const faults = sizes.flatMap(({ name, bytes, bytesMax, files, filesMax }) => [
  ...(bytes > bytesMax
    ? [`${name} has ${String(bytes)} bytes, above its budget of ${String(bytesMax)}.`]
    : []),
  ...(files > filesMax
    ? [
        `${name} loads ${String(files)} files before it starts, above its budget of ${String(filesMax)}.`,
      ]
    : []),
]);
for (const fault of faults) {
  console.error(fault);
}
process.exit(faults.length === 0 ? 0 : 1);

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
