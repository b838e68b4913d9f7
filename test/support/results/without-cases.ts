/** Node types without a case in `node-results.json`, each with the reason. */
const PROVIDER = "its result is the answer of a provider's model";
const RENDERED =
  "its PDF and pages are made by the renderer with fonts and stored templates: test/golden/templates/ keeps the digests of the renders, compared by test/unit/render/golden/golden-renders.test.ts";

export const WITHOUT_CASES: Readonly<Record<string, string>> = {
  "aggregate/pdf": RENDERED,
  "ai/ad_generator": PROVIDER,
  "ai/background_swap": PROVIDER,
  "ai/lifestyle": PROVIDER,
  "ai/magic_box": PROVIDER,
  "ai/magic_swap": PROVIDER,
  "ai/product_photography": PROVIDER,
  "ai/remove_background": PROVIDER,
  "ai/showroom_visualizer": PROVIDER,
  "ai/speech_to_text": PROVIDER,
  "ai/stem_separation": PROVIDER,
  "ai/style_transfer": PROVIDER,
  "ai/text_generation": PROVIDER,
  "ai/text_to_image": PROVIDER,
  "ai/text_to_speech": PROVIDER,
  "ai/upscale": PROVIDER,
  "ai/virtual_tryon": PROVIDER,
  "design/template_render": RENDERED,
  "document/pdf": RENDERED,
  "input/bundle_manifest":
    "its result is what the workspace has stored, in D1 and R2: test/e2e/bundles.test.ts",
  "utility/media_from_url":
    "its result is the file at an address: test/worker/assets/hostile-addresses.test.ts and test/e2e/assets.test.ts",
};
