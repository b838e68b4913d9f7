import type { Limits } from "./limit.ts";

const MB = 1024 * 1024;
const HOUR = 60 * 60 * 1_000;

/** Rendering of design templates: a part of the table of limits. */
export const RENDER_LIMITS = {
  render_picture: {
    name: "Picture that a design prints",
    value: 20 * MB,
    unit: "bytes",
    reason:
      "It is held in memory while its page is written. A larger one fails, and the rest prints.",
  },
  render_pictures: {
    name: "Pictures of one render together",
    value: 100 * MB,
    unit: "bytes",
    reason: "Each is read, and most are read again when their page is written.",
  },
  render_pages: {
    name: "Output pages of one render",
    value: 200,
    unit: "count",
    reason:
      "More would take longer than a render has. They are counted before the first is written.",
  },
  render_elements: {
    name: "Elements of one render, rows and components included",
    value: 25_000,
    unit: "count",
    reason: "Each of them is placed in every render.",
  },
  held_pdf: {
    name: "PDF of a direct render, or of one that makes page images too",
    value: 12 * MB,
    unit: "bytes",
    reason: "It is held in memory. A node that makes a PDF alone stores it as it is written.",
  },
  render_picture_time: {
    name: "Time to fetch a picture for a design",
    value: 15_000,
    unit: "milliseconds",
    reason: "A render waits for its pictures. One that does not arrive fails, and the rest prints.",
  },
  render_images: {
    name: "Page images of one direct render together, or one page image of a node",
    value: 16 * MB,
    unit: "bytes",
    reason: "They are held in memory until they are sent or stored.",
  },
  render_instances: {
    name: "Memory of a render's fonts and page images, and of the picture that is converted",
    value: 60 * MB,
    unit: "bytes",
    reason:
      "HarfBuzz, its subsetter, PDFium and the decoder share it. With everything else that a renderer holds it stays below 100 MB.",
  },
  render_fonts: {
    name: "Memory of the fonts that a render shapes with",
    value: 36 * MB,
    unit: "bytes",
    reason: "It holds the largest font file with a dozen others. A render that needs more fails.",
  },
  render_drawing: {
    name: "Memory in which page images are drawn, fonts that are open included",
    value: 56 * MB,
    unit: "bytes",
    reason: "The page images that are finished have room beside it. A page that needs more fails.",
  },
  render_kept_pictures: {
    name: "Pictures that a render keeps until their page is written",
    value: 8 * MB,
    unit: "bytes",
    reason: "Further ones are read again for their page.",
  },
  color_profile: {
    name: "Color profile",
    value: 10 * MB,
    unit: "bytes",
    reason:
      "It is held in memory and embedded in every PDF/X-4 file. Profiles in use have up to 5 MB.",
  },
  color_profile_tags: {
    name: "Tags of a color profile",
    value: 200,
    unit: "count",
    reason: "Profiles in use have up to thirty.",
  },
  max_repeat: {
    name: "`max_repeat` of a render",
    value: 100,
    unit: "count",
    reason: "As many items as a list of a document prints.",
  },
  page_selection: {
    name: "`page_selection` of a render",
    value: 2_000,
    unit: "characters",
    reason: "Every one of 200 pages by itself, with commas.",
  },
  page_image_side: {
    name: "Longest side of a page image, in pixels",
    value: 4_096,
    unit: "count",
    reason: "A larger page takes more memory and time than a render has.",
  },
  page_image_side_min: {
    name: "Shortest longest side of a page image, in pixels",
    value: 64,
    unit: "count",
    reason: "Nothing is readable on a smaller page.",
  },
  render_text: {
    name: "Text of one element in a render",
    value: 100_000,
    unit: "characters",
    reason:
      "It is laid out without a pause, and takes 40 bytes a character meanwhile. A page of A4 holds 25,000 in 5 pt.",
  },
  render_page_text: {
    name: "Printed texts of one output page",
    value: 200_000,
    unit: "characters",
    reason: "The glyphs of a page are in memory until it is written, some 130 bytes for each.",
  },
  render_time: {
    name: "Time of one render",
    value: 60_000,
    unit: "milliseconds",
    reason: "Other renders of the same isolate wait for it.",
  },
  render_waiting: {
    name: "Direct renders of a workspace that wait",
    value: 32,
    unit: "count",
    reason: "More would wait longer than clients do. Renders of workflows wait without a limit.",
  },
  preview_time: {
    name: "Lifetime of a preview's page images",
    value: HOUR,
    unit: "milliseconds",
    reason: "A preview is looked at when it was asked for; its images are deleted afterwards.",
  },
  merged_pages: {
    name: "Pages of a merged PDF",
    value: 2_000,
    unit: "count",
    reason: "Pages are copied in memory.",
  },
  merged_objects: {
    name: "Object streams of a PDF that is merged, decompressed",
    value: 40 * MB,
    unit: "bytes",
    reason: "They are in memory beside the file, while no font is.",
  },
  merged_outline: {
    name: "A PDF of more than 32 MiB that is joined, without its streams of 4 KiB and more",
    value: 16 * MB,
    unit: "bytes",
    reason: "It is in memory; the streams are read from the store when they are copied.",
  },
  merged_pdf: {
    name: "Merged PDF",
    value: 250_000_000,
    unit: "bytes",
    reason: "The largest file that is stored.",
  },
} as const satisfies Limits;
