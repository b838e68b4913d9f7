import type { Limits } from "./limit.ts";

const MB = 1024 * 1024;

/** Pictures and codes: a part of the table of limits. */
export const PICTURE_LIMITS = {
  svg_filter_work: {
    name: "Filters of an SVG that is drawn: steps × megapixels",
    value: 150,
    unit: "count",
    reason:
      "About three seconds; a filter step cannot be interrupted. An offset counts 1, a blur 4 to 10, a blend 4, an octave of turbulence 3; a dilation the square of its radius.",
  },
  image_file: {
    name: "Picture that is decoded",
    value: 25 * MB,
    unit: "bytes",
    reason: "It is held in memory beside its pixels.",
  },
  image_side: {
    name: "Width or height of a picture that is decoded, in pixels",
    value: 16_384,
    unit: "count",
    reason: "Larger pictures are not in use, and index arithmetic stays small.",
  },
  image_pixels: {
    name: "Pixels of a picture that is decoded",
    value: 8_192 * 8_192,
    unit: "count",
    reason: "Converted within the time of a node; cameras with 50 megapixels are below it.",
  },
  resized_side: {
    name: "Width or height of a picture that is made in another size, in pixels",
    value: 8_192,
    unit: "count",
    reason: "Larger pictures are not in use, and their rows take memory in every step.",
  },
  webp_side: {
    name: "Width or height of a WebP, in pixels",
    value: 16_383,
    unit: "count",
    reason: "The format stores 14 bits of each side.",
  },
  composed_layers: {
    name: "Layers of a composed picture",
    value: 16,
    unit: "count",
    reason: "They are laid one after another within the time of a node.",
  },
  thumbnail_side: {
    name: "Longest side of a thumbnail in px",
    value: 512,
    unit: "count",
    reason: "Enough for a card on a screen with two pixels for each point.",
  },
  own_thumbnail: {
    name: "A picture that is its own thumbnail",
    value: 64 * 1024,
    unit: "bytes",
    reason: "Another file would not load noticeably faster.",
  },
  jpeg_scans: {
    name: "Scans of a progressive JPEG",
    value: 100,
    unit: "count",
    reason: "Each passes over all pixels again. Encoders write about ten.",
  },
  picture_profile: {
    name: "Color profile inside a picture",
    value: 4 * MB,
    unit: "bytes",
    reason:
      "It is held in memory while its colors are computed. Those of presses have about one; a larger one is passed over.",
  },
  avif_boxes: {
    name: "Boxes and properties of an AVIF file",
    value: 2_000,
    unit: "count",
    reason: "Encoders write about twenty.",
  },
  avif_frames: {
    name: "Coded frames of a picture, or of a cell, in an AVIF",
    value: 8,
    unit: "count",
    reason:
      "A file may hold any number that are decoded and never shown. The format needs one, or one for each of at most 4 layers of quality.",
  },
  drawn_svg_file: {
    name: "SVG that is drawn",
    value: 2 * MB,
    unit: "bytes",
    reason: "The renderer parses it whole, in its capped memory.",
  },
  drawn_svg_elements: {
    name: "Elements of an SVG that is drawn",
    value: 2_000,
    unit: "count",
    reason: "Each element takes time, and drawing cannot be interrupted.",
  },
  drawn_svg_resolved: {
    name: "Elements of an SVG that is drawn, with each `<use>` written out",
    value: 20_000,
    unit: "count",
    reason: "Each element that `<use>` repeats is drawn again, and drawing cannot be interrupted.",
  },
  drawn_svg_depth: {
    name: "Nesting of an SVG that is drawn",
    value: 100,
    unit: "count",
    reason: "The renderer draws an element within an element by recursion.",
  },
  drawn_svg_layers: {
    name: "Layers of an SVG that is drawn (opacity, mask, clip path, blend)",
    value: 200,
    unit: "count",
    reason: "Each costs about 10 ms at 2,048 × 2,048 pixels.",
  },
  drawn_svg_nested_layers: {
    name: "Layers within layers of an SVG that is drawn",
    value: 4,
    unit: "count",
    reason: "Each is a bitmap of the whole picture.",
  },
  qr_text: {
    name: "Text of a QR code",
    value: 7_089,
    unit: "characters",
    reason: "Version 40 at level L holds as many digits.",
  },
  code128_text: {
    name: "Text of a Code 128",
    value: 48,
    unit: "characters",
    reason: "A longer symbol is too wide to be scanned.",
  },
} as const satisfies Limits;
