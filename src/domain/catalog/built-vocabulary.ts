import type { Effect, Preset } from "../../contracts/models/preset.ts";
import type { Env } from "../../platform/env.ts";
import { readBuiltJson } from "../../platform/read-built-json.ts";

// Constant for a deployment; kept, because a submit that names one reads them.
let presets: readonly Preset[] | undefined;
let effects: readonly Effect[] | undefined;

/** Every preset, in the order of the catalog. */
export async function readPresets(env: Pick<Env, "ASSETS">): Promise<readonly Preset[]> {
  presets ??= await readBuiltJson<readonly Preset[]>(env, "presets.json");
  return presets;
}

/** Every effect, in the order of the catalog. */
export async function readEffects(env: Pick<Env, "ASSETS">): Promise<readonly Effect[]> {
  effects ??= await readBuiltJson<readonly Effect[]>(env, "effects.json");
  return effects;
}
