/** resvg from its package, as the judge of our pictures of drawings. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-wasm";
import { SYSTEM_FONT_SOURCES } from "../../../scripts/system-font-sources.ts";
import { startResvg } from "./start-resvg.ts";

const at = (path: string): string =>
  fileURLToPath(new URL(`../../../node_modules/${path}`, import.meta.url).href);
let started: Promise<readonly Uint8Array[]> | undefined;

async function start(): Promise<readonly Uint8Array[]> {
  await startResvg();
  const sans = SYSTEM_FONT_SOURCES.find(({ slug }) => slug === "noto-sans");
  return await Promise.all(
    ["400", "700"].flatMap((variant) => {
      const path = sans?.files[variant];
      return path === undefined ? [] : [readFile(at(path))];
    }),
  );
}

/** A drawing on white, so many pixels wide. */
export async function drawWithResvg(svg: string, width: number): Promise<Uint8Array> {
  started ??= start();
  const fontBuffers = [...(await started)];
  const resvg = new Resvg(svg, {
    background: "#ffffff",
    fitTo: { mode: "width", value: width },
    font: { fontBuffers, defaultFontFamily: "Noto Sans", sansSerifFamily: "Noto Sans" },
  });
  return resvg.render().asPng();
}
