import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { SystemFamily, SystemFontFile } from "../src/domain/fonts/system-family.ts";
import { inspectFont } from "../src/formats/font/inspect-font.ts";
import { systemFontAsset, type SystemFontSource } from "./system-font-sources.ts";

const PACKAGES = new URL("../node_modules/", import.meta.url);

/**
 * Describes a family from its installed package. Throws if a file is not the listed variant or belongs to another
 * family.
 */
export async function describeSystemFamily(source: SystemFontSource): Promise<SystemFamily> {
  const files: SystemFontFile[] = [];
  let name = "";
  for (const [stated, path] of Object.entries(source.files)) {
    const bytes = new Uint8Array(await readFile(fileURLToPath(new URL(path, PACKAGES).href)));
    const { family, variant, weight, style, format } = inspectFont(bytes);
    if (name !== "" && name !== family) {
      throw new Error(
        `${path} belongs to the family "${family}", but earlier files belong to "${name}".`,
      );
    }
    if (variant !== stated) {
      throw new Error(`${path} is listed as ${stated}, but its tables describe ${variant}.`);
    }
    name = family;
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    files.push({
      fileGuid: guid(`${source.slug}/${variant}/${sha256}`),
      variant,
      weight,
      style,
      format,
      sha256,
      sizeBytes: bytes.byteLength,
      asset: systemFontAsset(source.slug, variant, path),
    });
  }
  // Order of lists: by weight, upright styles first.
  files.sort((a, b) => a.weight - b.weight || (a.style === "normal" ? -1 : 1));
  return {
    familyGuid: guid(source.slug),
    versionGuid: guid(`${source.slug}/${files.map((file) => file.sha256).join()}`),
    revisionNumber: 1,
    family: name,
    displayName: source.displayName,
    category: source.category,
    license: source.license,
    licenseAsset: systemFontAsset(source.slug, "LICENSE", ".txt"),
    files,
  };
}

/** Returns the same UUID for the same name: version 8, derived from a hash (RFC 9562 §5.8). */
function guid(name: string): string {
  const bytes = createHash("sha256").update(`edgeloom system font ${name}`).digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex", 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
