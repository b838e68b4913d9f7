import type { ObjectWriter, Ref } from "../object-writer.ts";
import type { OutputProfile } from "../output-profile.ts";
import { arrayOf, bytesOf, dictOf, type PdfEntries, type PdfValue, refOf } from "../pdf-objects.ts";
import type { PixelStream, PreparedPicture } from "./prepared-picture.ts";

const COMPONENTS = { gray: 1, rgb: 3, cmyk: 4, palette: 1 } as const;

/** Writes a picture and its opacity. `profileRef` writes an embedded profile, unless the file has it. */
export function writePicture(
  objects: ObjectWriter,
  { pixels, alpha }: PreparedPicture,
  profile: OutputProfile | undefined,
  profileRef: (profile: Uint8Array, components: number) => Ref,
): Ref {
  const mask =
    alpha === null ? undefined : objects.addStream(entries(alpha, "DeviceGray"), alpha.data);
  const { color } = pixels;
  const space =
    color.kind === "palette" || color.profile === undefined
      ? colorSpace(pixels, profile)
      : arrayOf(["ICCBased", refOf(profileRef(color.profile, COMPONENTS[color.kind]))]);
  return objects.addStream(
    {
      ...entries(pixels, space),
      SMask: mask === undefined ? undefined : refOf(mask),
    },
    pixels.data,
  );
}

function colorSpace({ color }: PixelStream, profile: OutputProfile | undefined): PdfValue {
  switch (color.kind) {
    case "gray":
      return profile?.graySpace ?? "DeviceGray";
    case "rgb":
      return "DeviceRGB";
    case "cmyk":
      return "DeviceCMYK";
    case "palette":
      return arrayOf(["Indexed", "DeviceRGB", color.colors.length / 3 - 1, bytesOf(color.colors)]);
  }
}

function entries(stream: PixelStream, space: PdfValue): PdfEntries {
  const { width, height, color, bits, encoding, isInverted, clearColor } = stream;
  const colors = COMPONENTS[color.kind];
  const predictor = {
    Predictor: 15,
    Colors: colors,
    BitsPerComponent: bits,
    Columns: width,
  };
  return {
    Type: "XObject",
    Subtype: "Image",
    Width: width,
    Height: height,
    ColorSpace: space,
    BitsPerComponent: bits,
    Filter: encoding === "jpeg" ? "DCTDecode" : "FlateDecode",
    DecodeParms: encoding === "png" ? dictOf(predictor) : undefined,
    Decode: isInverted
      ? arrayOf(Array.from({ length: 2 * colors }, (_, i) => 1 - (i % 2)))
      : undefined,
    Mask: clearColor === null ? undefined : arrayOf(clearColor.flatMap((value) => [value, value])),
  };
}
