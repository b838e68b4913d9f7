/**
 * Fields that the models of Replicate take, as Replicate's page of each version lists them, read on 2026-11-24. The values of a
 * field are listed where a public source names them: those of flux-schnell are in https://github.com/replicate/cog-flux
 * (predict.py, Apache-2.0). The page of recraft-crisp-upscale was not at hand; its only field is known from the type of its input
 * in a public client of Replicate's models, made from their schemas, and from Replicate's page of its sibling,
 * https://replicate.com/recraft-ai/recraft-creative-upscale, which has the same one.
 */
import * as z from "zod";

const file = z
  .string()
  .regex(/^(?:data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+=*|https?:\/\/\S+)$/);
const prompt = z.string();
const seed = z.int().optional();

export interface PublishedInput {
  readonly source: string;
  readonly fields: z.ZodObject;
}

const pageOf = (model: string, version: string) =>
  `https://replicate.com/${model}/versions/${version}/api`;

/** By the name of the model at Replicate. Objects are closed: another field is a fault. */
export const PUBLISHED_INPUTS: ReadonlyMap<string, PublishedInput> = new Map([
  [
    "black-forest-labs/flux-schnell",
    {
      source: pageOf(
        "black-forest-labs/flux-schnell",
        "c846a69991daf4c0e5d016514849d14ee5b2e6846ce6b9d6f21369e564cfe51e",
      ),
      fields: z.strictObject({
        prompt,
        aspect_ratio: z
          .enum(["1:1", "16:9", "21:9", "3:2", "2:3", "4:5", "5:4", "3:4", "4:3", "9:16", "9:21"])
          .optional(),
        num_outputs: z.int().min(1).max(4).optional(),
        num_inference_steps: z.int().min(1).max(4).optional(),
        seed,
        output_format: z.enum(["webp", "jpg", "png"]).optional(),
        output_quality: z.int().min(0).max(100).optional(),
        disable_safety_checker: z.boolean().optional(),
        go_fast: z.boolean().optional(),
        megapixels: z.enum(["1", "0.25"]).optional(),
      }),
    },
  ],
  [
    "black-forest-labs/flux-kontext-pro",
    {
      source: pageOf(
        "black-forest-labs/flux-kontext-pro",
        "569705b35f79b1160d51de1d0e3955626af86c77a034a16e89010dbdde5ad312",
      ),
      fields: z.strictObject({
        prompt,
        input_image: file.optional(),
        // The page describes this value and does not list the others.
        aspect_ratio: z.literal("match_input_image").optional(),
        output_format: z.enum(["jpg", "png"]).optional(),
        seed,
        safety_tolerance: z.int().min(0).max(6).optional(),
        prompt_upsampling: z.boolean().optional(),
      }),
    },
  ],
  [
    "google/nano-banana",
    {
      source: pageOf(
        "google/nano-banana",
        "f0a9d34b12ad1c1cd76269a844b218ff4e64e128ddaba93e15891f47368958a0",
      ),
      fields: z.strictObject({
        prompt,
        image_input: z.array(file).optional(),
        output_format: z.enum(["jpg", "png"]).optional(),
      }),
    },
  ],
  [
    "bria/remove-background",
    {
      source: pageOf(
        "bria/remove-background",
        "4ed060b3587b7c3912353dd7d59000c883a6e1c5c9181ed7415c2624c2e8e392",
      ),
      fields: z.strictObject({
        image: file.optional(),
        image_url: file.optional(),
        preserve_alpha: z.boolean().optional(),
        preserve_partial_alpha: z.boolean().optional(),
        content_moderation: z.boolean().optional(),
      }),
    },
  ],
  [
    "recraft-ai/recraft-crisp-upscale",
    {
      source:
        "https://github.com/ClickerMonkey/aits/blob/f2c2f5e22714c5224840c6eb733c4be6f1ecc251/packages/models/src/transformers/replicate/recraft-ai-recraft-crisp-upscale.ts",
      fields: z.strictObject({ image: file }),
    },
  ],
]);
