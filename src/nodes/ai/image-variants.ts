/** The nodes that make pictures with a model, one or several variants of each (docs/contract/models.md#pictures). */
import { defineImageVariants } from "../define-image-variants.ts";

const PRODUCT = { name: "product", type: "image", required: true, label: "Product" } as const;
const PROMPT = { name: "prompt", type: "text", required: false, label: "Prompt" } as const;

export const IMAGE_VARIANT_NODES = [
  defineImageVariants({
    type: "ai/text_to_image",
    name: "Make a picture",
    description: "Makes a picture from a description.",
    whenToUse: "For illustrations and scenes of which there is no photograph.",
    icon: "image-plus",
    ports: [
      { name: "prompt", type: "text", required: true, label: "Prompt" },
      { name: "negative_prompt", type: "text", required: false, label: "What to avoid" },
    ],
    preset: { category: "image_style", title: "Style" },
    lines: ({ text }) => [text("prompt")],
  }),
  defineImageVariants({
    type: "ai/ad_generator",
    name: "Advertisement",
    description: "Designs an advertisement around the photograph of a product.",
    whenToUse: "For campaign pictures with a headline in several layouts.",
    icon: "megaphone",
    ports: [
      PRODUCT,
      { name: "headline", type: "text", required: false, label: "Headline" },
      PROMPT,
    ],
    preset: { category: "ad_layout", title: "Layout" },
    lines: ({ text }) => [
      "Design an advertisement for the product in image 1. Keep the product exactly as it is.",
      text("headline") === "" ? "" : `Headline: "${text("headline")}"`,
      text("prompt"),
    ],
  }),
  defineImageVariants({
    type: "ai/product_photography",
    name: "Product photography",
    description: "Photographs a product in a studio scene.",
    whenToUse: "For catalogs and shops, from a plain picture of the product.",
    icon: "camera",
    ports: [PRODUCT, PROMPT],
    preset: { category: "product_scene", title: "Scene" },
    lines: ({ text }) => [
      "Studio photograph of the product in image 1. Keep its shape, colours and labels exactly.",
      text("prompt"),
    ],
  }),
  defineImageVariants({
    type: "ai/lifestyle",
    name: "Lifestyle picture",
    description: "Shows a product in use in an everyday scene.",
    whenToUse: "For social media and catalogs, from a plain picture of the product.",
    icon: "coffee",
    ports: [PRODUCT, { name: "scene", type: "text", required: false, label: "Scene" }],
    preset: { category: "lifestyle_scene", title: "Scene" },
    lines: ({ text }) => [
      "Show the product in image 1 in use in an everyday scene.",
      text("scene") === "" ? "" : `Scene: ${text("scene")}`,
    ],
  }),
  defineImageVariants({
    type: "ai/showroom_visualizer",
    name: "Showroom",
    description: "Places a product into the picture of a room.",
    whenToUse: "For furniture, lamps and floors that customers want to see in a room.",
    icon: "sofa",
    ports: [{ name: "room", type: "image", required: true, label: "Room" }, PRODUCT, PROMPT],
    preset: { category: "interior_style", title: "Interior" },
    lines: ({ text }) => [
      "Place the product in image 2 into the room in image 1 at a natural size, with matching light and perspective.",
      text("prompt"),
    ],
  }),
  defineImageVariants({
    type: "ai/virtual_tryon",
    name: "Virtual try-on",
    description: "Dresses a person in a garment.",
    whenToUse: "For fashion shops, from a picture of a person and one of a garment.",
    icon: "shirt",
    ports: [
      { name: "person", type: "image", required: true, label: "Person" },
      { name: "garment", type: "image", required: true, label: "Garment" },
      PROMPT,
    ],
    preset: { category: "fashion_shot", title: "Shot" },
    hasGarmentType: true,
    lines: ({ text, garmentType }) => [
      `Dress the person in image 1 in the ${garmentType} in image 2. Keep face, body and pose.`,
      text("prompt"),
    ],
  }),
  defineImageVariants({
    type: "ai/background_swap",
    name: "Swap the background",
    description: "Replaces the background of a picture.",
    whenToUse: "To show the same subject in another place, by a picture, a text or a preset.",
    icon: "wallpaper",
    ports: [
      { name: "image", type: "image", required: true, label: "Picture" },
      { name: "background", type: "image", required: false, label: "Background" },
      PROMPT,
    ],
    preset: { category: "background_scene", title: "Background" },
    needsOneOf: ["background", "prompt"],
    lines: ({ text, has }) => [
      `Replace the background of image 1${has("background") ? " with image 2" : ""}. Keep the foreground exactly.`,
      text("prompt"),
    ],
  }),
  defineImageVariants({
    type: "ai/magic_swap",
    name: "Swap an object",
    description: "Replaces one thing in a picture and leaves the rest.",
    whenToUse: "To exchange an object by a text, or by the picture of another one.",
    icon: "replace",
    ports: [
      { name: "image", type: "image", required: true, label: "Picture" },
      { name: "target", type: "text", required: true, label: "What to replace" },
      {
        name: "replacement",
        type: "text",
        required: true,
        accepts: ["image"],
        label: "What to put there",
      },
    ],
    lines: ({ text, isImage }) => [
      `In image 1 replace ${text("target")} with ${isImage("replacement") ? "what image 2 shows" : text("replacement")}. Change nothing else.`,
    ],
  }),
  defineImageVariants({
    type: "ai/style_transfer",
    name: "Transfer a style",
    description: "Redraws a picture in another style.",
    whenToUse: "To give pictures of different origin one look, by an example or a preset.",
    icon: "palette",
    ports: [
      { name: "image", type: "image", required: true, label: "Picture" },
      { name: "style", type: "image", required: false, label: "Style" },
    ],
    preset: { category: "art_style", title: "Style" },
    needsOneOf: ["style"],
    lines: ({ has }) => [
      `Redraw image 1 in ${has("style") ? "the style of image 2" : "another style"}. Keep its composition.`,
    ],
  }),
  defineImageVariants({
    type: "ai/magic_box",
    name: "Magic box",
    description: "Makes a picture from a free prompt and up to eight pictures.",
    whenToUse: "When none of the other picture nodes fits.",
    icon: "wand-sparkles",
    ports: [
      {
        name: "images",
        type: "image",
        required: false,
        list: { minCount: 0, maxCount: 8, compact: true },
        label: "Pictures",
      },
      { name: "prompt", type: "text", required: true, label: "Prompt" },
    ],
    preset: { category: "image_style", title: "Style" },
    lines: ({ text }) => [text("prompt")],
  }),
] as const;
