import { IccBytes } from "./icc-bytes.ts";
import { curveProblem, type IccTag, tableProblem, xyzProblem } from "./icc-tags.ts";
import { HEADER_BYTES, readIccTags } from "./read-icc-tags.ts";

/** The colors that a press takes. */
export type PressSpace = "CMYK" | "RGB" | "GRAY";

const SPACES: ReadonlyMap<string, { readonly name: PressSpace; readonly channels: number }> =
  new Map([
    ["CMYK", { name: "CMYK", channels: 4 }],
    ["RGB ", { name: "RGB", channels: 3 }],
    ["GRAY", { name: "GRAY", channels: 1 }],
  ]);

/**
 * Reads an ICC profile as PDF/X-4 needs it (ICC.1:2022; ISO 15930-7 §6.2.2): of class `prtr`, version 2 or 4, whole, with
 * conversions in both directions. Work and memory are bounded by the number of tags. Returns the color space, or what
 * is wrong.
 */
export function readPressProfile(
  bytes: Uint8Array,
): { readonly space: PressSpace } | { readonly problem: string } {
  const icc = new IccBytes(bytes);
  const problem = headerProblem(icc);
  if (problem !== undefined) {
    return { problem };
  }
  const space = SPACES.get(icc.signature(16));
  if (space === undefined) {
    return { problem: "Its colors are neither CMYK nor RGB nor gray" };
  }
  const tags = readIccTags(icc);
  if (typeof tags === "string") {
    return { problem: tags };
  }
  const broken = conversionsProblem(icc, tags, space.channels);
  return broken === undefined ? { space: space.name } : { problem: broken };
}

function headerProblem(icc: IccBytes): string | undefined {
  const size = icc.bytes.byteLength;
  if (size < HEADER_BYTES + 4 || icc.signature(36) !== "acsp") {
    return "The bytes are not those of an ICC profile";
  }
  if (icc.u32(0) !== size) {
    return `Its header says that it has ${icc.u32(0)} bytes, and it has ${size}`;
  }
  const version = icc.u8(8);
  if (version !== 2 && version !== 4) {
    return `It has version ${version} of the format; send one of version 2 or 4`;
  }
  if (icc.signature(12) !== "prtr") {
    return "It is not the profile of a press or printer (class prtr)";
  }
  return ["Lab ", "XYZ "].includes(icc.signature(20))
    ? undefined
    : "It converts to neither Lab nor XYZ";
}

const PRIMARIES = ["rXYZ", "gXYZ", "bXYZ"];
const CURVES = ["rTRC", "gTRC", "bTRC"];

function conversionsProblem(
  icc: IccBytes,
  tags: ReadonlyMap<string, IccTag>,
  channels: number,
): string | undefined {
  const has = (name: string) => tags.has(name);
  const hasCurves =
    (channels === 1 && has("kTRC")) || (channels === 3 && [...PRIMARIES, ...CURVES].every(has));
  if (!hasCurves && !(has("A2B0") && has("B2A0"))) {
    return "It lacks the tables A2B0 and B2A0, by which colors are converted";
  }
  for (const [name, tag] of tags) {
    const problem = tagProblem(icc, name, tag, channels);
    if (problem !== undefined) {
      return `Its tag ${name} ${problem}`;
    }
  }
  return undefined;
}

/** Checks the tags by which colors are converted; the others are not read. */
function tagProblem(
  icc: IccBytes,
  name: string,
  tag: IccTag,
  channels: number,
): string | undefined {
  if (/^A2B[0-2]$/.test(name)) {
    return tableProblem(icc, tag, { inputs: channels, outputs: 3 });
  }
  if (/^B2A[0-2]$/.test(name)) {
    return tableProblem(icc, tag, { inputs: 3, outputs: channels });
  }
  if (PRIMARIES.includes(name) || name === "wtpt") {
    return xyzProblem(icc, tag);
  }
  return CURVES.includes(name) || name === "kTRC" ? curveProblem(icc, tag) : undefined;
}
