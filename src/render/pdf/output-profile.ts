import type { PDFDict } from "pdf-lib";
import { deflatedBytes, type ObjectWriter, type Ref } from "./object-writer.ts";
import type { PackedProfile, PdfX4Mode } from "./pdf-resources.ts";
import { arrayOf, dictOf, type PdfValue, refOf } from "./pdf-objects.ts";
import { srgbProfile } from "./srgb-profile.ts";

/** What a PDF/X-4 file says about colors (ISO 15930-7 §6.2). */
export interface OutputProfile {
  readonly ref: Ref;
  readonly deviceSpace: "DeviceCMYK" | "DeviceRGB" | "DeviceGray";
  /** Entries of each stream's color spaces: RGB is sRGB, whatever the output intent is. */
  readonly defaultSpaces: PDFDict;
  /** Gray of pictures: the device's only where the output intent defines it. */
  readonly graySpace: PdfValue;
}

const SPACES = {
  CMYK: { components: 4, device: "DeviceCMYK" },
  "RGB ": { components: 3, device: "DeviceRGB" },
  GRAY: { components: 1, device: "DeviceGray" },
} as const;
/** Gray with the white of sRGB (D65) and nearly its curve. */
const CALIBRATED_GRAY = arrayOf([
  "CalGray",
  dictOf({ WhitePoint: arrayOf([0.9505, 1, 1.089]), Gamma: 2.2 }),
]);

/** The color space in an ICC profile's header; undefined if it is none that a press has. */
function profileSpace(profile: Uint8Array): PackedProfile["space"] | undefined {
  const text = String.fromCharCode(...profile.subarray(16, 20));
  return text in SPACES ? (text as PackedProfile["space"]) : undefined;
}

/**
 * Deflates a profile, which takes longer than a page, for all files that it is written to. Throws if it has another color
 * space: profiles are checked when they are stored.
 */
export function packProfile(profile: Uint8Array): PackedProfile {
  const space = profileSpace(profile);
  if (space === undefined) {
    throw new Error("The ICC profile is not of CMYK, RGB or gray.");
  }
  return { space, packed: deflatedBytes(profile) };
}

export function writeProfile(objects: ObjectWriter, { profile }: PdfX4Mode): OutputProfile {
  const { space, packed } = profile;
  const { components, device } = SPACES[space];
  const srgb = objects.addDeflated({ N: 3 }, srgbProfile());
  return {
    ref: objects.addPacked({ N: components }, packed),
    deviceSpace: device,
    defaultSpaces: dictOf({ DefaultRGB: arrayOf(["ICCBased", refOf(srgb)]) }),
    graySpace: space === "RGB " ? CALIBRATED_GRAY : "DeviceGray",
  };
}
