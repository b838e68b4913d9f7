/** The workflow of the scripted service: every type of field, and results of every kind. */
import { crc32, deflateSync } from "node:zlib";

const SCENES = ["Studio white", "Linen table", "Morning light", "Dark slate"] as const;

/** The config of the page. */
export const CONFIG = {
  protocol: ["1"],
  workflow: {
    id: "wf_1",
    name: "Product pictures",
    description: "Places your product in a scene and returns four square pictures.",
    version: 3,
  },
  interface: null,
  fields: [
    {
      key: "name",
      label: "Product name",
      description: "",
      type: "text",
      required: true,
      max_length: 60,
    },
    {
      key: "photo",
      label: "Product photo",
      description: "",
      type: "image",
      required: true,
      accept: [".png", ".jpg", ".jpeg", ".webp"],
      max_size_bytes: 26_214_400,
    },
    {
      key: "scene",
      label: "Scene",
      description: "",
      type: "preset",
      required: true,
      options: SCENES.map((name, i) => ({
        code: `scene_${String(i)}`,
        name,
        thumbnail: `/files/scene-${String(i)}.png`,
      })),
    },
    {
      key: "roast",
      label: "Roast",
      description: "",
      type: "enum",
      required: false,
      default_value: '"medium"',
      options: ["light", "medium", "dark"].map((code) => ({ code, name: code })),
    },
    {
      key: "count",
      label: "Pictures",
      description: "",
      type: "number",
      required: false,
      default_value: "4",
      constraints: { min: 1, max: 8, step: 1 },
    },
    {
      key: "shadow",
      label: "Keep a soft shadow",
      description: "",
      type: "boolean",
      required: false,
      default_value: "true",
    },
    {
      key: "notes",
      label: "Notes for the photographer",
      description: "Printed nowhere.",
      type: "text",
      multiline: true,
      required: false,
    },
  ] as readonly Record<string, unknown>[],
  outputs: [
    { key: "pictures", label: "Pictures", type: "image", cardinality: "multiple" },
    { key: "caption", label: "Caption", type: "text", cardinality: "single" },
    { key: "facts", label: "Facts", type: "json", cardinality: "single" },
  ],
  executions: { max: 5, used: 0, remaining: 5 },
  allowed_origins: [] as readonly string[],
  end_user_id: null as string | null,
  expires_at: "2030-01-01T00:00:00.000Z",
  can: { execute: true, upload: true },
};

/** Every type of field, for tests of all controls. */
export const ALL_FIELDS: readonly Record<string, unknown>[] = [
  ...CONFIG.fields,
  {
    key: "style",
    label: "Style",
    description: "",
    type: "enum",
    required: false,
    options: Array.from({ length: 9 }, (_none, i) => ({
      code: `s${String(i)}`,
      name: `Style ${String(i)}`,
    })),
  },
  {
    key: "effect",
    label: "Effect",
    description: "",
    type: "effect",
    required: false,
    options: [
      { code: "none", name: "Plain" },
      { code: "grain", name: "Film grain" },
    ],
  },
  { key: "extra", label: "Extra", description: "Any JSON.", type: "json", required: false },
  ...["video", "audio", "document", "model3d", "data"].map((type) => ({
    key: type,
    label: `A ${type}`,
    description: "",
    type,
    required: false,
    accept: [
      `.${{ video: "mp4", audio: "mp3", document: "pdf", model3d: "glb", data: "csv" }[type] ?? ""}`,
    ],
    max_size_bytes: 262_144_000,
  })),
];

/** A result: four pictures, of which the third failed where the run ended in part, a text and JSON. */
export function resultOf(origin: string, status: string, count = 4) {
  const item = (key: string, type: string, more: object, indices: readonly number[] = []) => ({
    key,
    type,
    value: null,
    url: null,
    source: { name: `${key}_x`, logical_name: key, node_id: `${key}_node` },
    input_indices: indices,
    ...more,
  });
  const pictures = Array.from({ length: count }, (_none, i) =>
    status === "partial_success" && i === 2
      ? item("pictures", "image", { delivery: "unavailable", error: { code: "SECRET_CODE" } }, [i])
      : item(
          "pictures",
          "image",
          {
            delivery: "asset",
            url: `${origin}/files/linden-${String(i + 1)}.png`,
            thumbnail_url: `${origin}/files/linden-${String(i + 1)}.png?size=thumbnail`,
            content_type: "image/png",
            size_bytes: 1_363_149,
          },
          [i],
        ),
  );
  return {
    status,
    result: {
      by_key: {
        facts: {
          key: "facts",
          cardinality: "single",
          state: "present",
          items: [
            item("facts", "json", {
              delivery: "inline",
              value: { sku: "LIN-250", weight: 250, tags: ["coffee", "medium"], organic: true },
            }),
          ],
        },
        caption: {
          key: "caption",
          cardinality: "single",
          state: "present",
          items: [
            item("caption", "text", {
              delivery: "inline",
              value:
                "Linden, 250 g. A medium roast with notes of honey.\n<b>Not markup</b> javascript:alert(1)",
            }),
          ],
        },
        // Out of order: the gallery sorts by index.
        pictures: {
          key: "pictures",
          cardinality: "multiple",
          state: "present",
          items: pictures.reverse(),
        },
        nothing: {
          key: "nothing",
          cardinality: "single",
          state: "absent",
          items: [item("nothing", "text", { delivery: "absent" })],
        },
      },
    },
  };
}

const COLORS: readonly (readonly [number, number, number])[] = [
  [226, 216, 200],
  [190, 205, 190],
  [236, 214, 190],
  [60, 66, 73],
  [200, 190, 215],
];

/** A picture of two areas, whose colors follow from its name. */
export function picture(path: string): { readonly type: string; readonly bytes: Buffer } {
  const number = Number(/(\d)\.png/.exec(path)?.[1] ?? 0);
  const [r, g, b] = COLORS[number % COLORS.length] ?? [0, 0, 0];
  const size = 96;
  const rows = Buffer.alloc(size * (1 + size * 3));
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const isProduct = x > 32 && x < 64 && y > 24 && y < 80;
      const shade = y > 68 ? 0.85 : 1;
      const color = isProduct ? [31, 61, 54] : [r * shade, g * shade, b * shade];
      rows.set(color.map(Math.round), y * (1 + size * 3) + 1 + x * 3);
    }
  }
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    const tail = Buffer.alloc(4);
    tail.writeUInt32BE(crc32(body));
    return Buffer.concat([head, body, tail]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return {
    type: "image/png",
    bytes: Buffer.concat([
      Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
      chunk("IHDR", header),
      chunk("IDAT", deflateSync(rows)),
      chunk("IEND", Buffer.alloc(0)),
    ]),
  };
}
