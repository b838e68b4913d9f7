import type { ObjectWriter, Ref } from "../object-writer.ts";
import type { OutputProfile } from "../output-profile.ts";
import { hexString } from "../pdf-syntax.ts";
import type { PixelStream, PreparedPicture } from "./prepared-picture.ts";

const COMPONENTS = { gray: 1, rgb: 3, cmyk: 4, palette: 1 } as const;

/** Writes a picture and its opacity. */
export function writePicture(
  objects: ObjectWriter,
  { pixels, alpha }: PreparedPicture,
  profile: OutputProfile | undefined,
): Ref {
  const mask =
    alpha === null
      ? ""
      : `/SMask ${objects.addStream(entries(alpha, "/DeviceGray"), alpha.data)} 0 R`;
  return objects.addStream(`${entries(pixels, colorSpace(pixels, profile))}${mask}`, pixels.data);
}

function colorSpace({ color }: PixelStream, profile: OutputProfile | undefined): string {
  switch (color.kind) {
    case "gray":
      return profile?.graySpace ?? "/DeviceGray";
    case "rgb":
      return "/DeviceRGB";
    case "cmyk":
      return "/DeviceCMYK";
    case "palette":
      return `[/Indexed/DeviceRGB ${color.colors.length / 3 - 1}${hexString(color.colors)}]`;
  }
}

function entries(stream: PixelStream, space: string): string {
  const { width, height, color, bits, encoding, isInverted, clearColor } = stream;
  const colors = COMPONENTS[color.kind];
  const filter = {
    jpeg: "/Filter/DCTDecode",
    flate: "/Filter/FlateDecode",
    png: `/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors ${colors}/BitsPerComponent ${bits}/Columns ${width}>>`,
  }[encoding];
  const inverted = isInverted ? `/Decode[${"1 0 ".repeat(colors).trim()}]` : "";
  const clear =
    clearColor === null ? "" : `/Mask[${clearColor.map((value) => `${value} ${value}`).join(" ")}]`;
  return (
    `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace${space}` +
    `/BitsPerComponent ${bits}${filter}${inverted}${clear}`
  );
}
