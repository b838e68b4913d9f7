/** Texts that only pages and documents show (src/platform/read-built-json.ts), by name. */
export const BUILT_TEXTS: Readonly<Record<string, () => Promise<unknown>>> = {
  "error-codes.json": async () => (await import("../src/domain/errors/list-codes.ts")).listCodes(),
  "agent-skills.json": async () =>
    (await import("../src/domain/discovery/agent-skills.ts")).AGENT_SKILLS,
  "limits.json": async () => (await import("../src/lib/limits/limit-rows.ts")).LIMIT_ROWS,
  "presets.json": async () => (await import("../src/contracts/models/presets.ts")).PRESETS,
  "embed-errors.json": async () => (await import("../src/pages/embed/error-texts.ts")).ERROR_TEXTS,
  "home-body.json": async () => (await import("../src/pages/home/home-body.ts")).HOME_BODY,
  "effects.json": async () => (await import("../src/contracts/models/effects.ts")).EFFECTS,
};
/** Folders of all modules that `BUILT_TEXTS` imports. */
export const BUILT_TEXT_SOURCES = [
  "src/lib",
  "src/lib/errors",
  "src/lib/json",
  "src/lib/limits",
  "src/contracts",
  "src/contracts/models",
  "src/contracts/workflows",
  "src/domain/errors",
  "src/domain/discovery",
  "src/contracts/media",
  "src/pages/docs",
  "src/pages/embed",
  "src/pages/home",
  "src/pages/site",
];
