/**
 * Builds the browser code of embeds (src/web), one build for each mode. `scripts/build-web.ts` runs them all; a build of
 * its own for each page keeps each page's script in one file, without chunks that another page decides.
 */
import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "vite";

/** Where the API Worker serves the files (src/pages/embed/embed-asset.ts). */
const BASE = "/embed/assets/";

export const PAGE_MODES = ["widget", "editor", "error"] as const;
export const SDK_MODES = ["sdk-iife", "sdk-esm"] as const;

const ENTRIES: Readonly<Record<(typeof PAGE_MODES)[number], string>> = {
  widget: "src/web/widget/widget.tsx",
  editor: "src/web/editor/editor.tsx",
  error: "src/web/shared/error-page.ts",
};

/** Browsers that support `light-dark()`; with older targets the style sheets would be rewritten. */
const TARGET = ["chrome123", "safari17.5", "firefox120"];

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/**
 * The editor is written against React's types and built with Preact. Without these lines it is built with React, which the
 * benchmark of sizes does (`EDITOR_WITH_REACT=1`).
 */
const EDITOR_ALIASES = {
  "react/jsx-runtime": "preact/jsx-runtime",
  "react-dom/client": "preact/compat/client",
  "react-dom": "preact/compat",
  react: "preact/compat",
};

export default defineConfig(({ mode }) => (mode.startsWith("sdk-") ? sdk(mode) : page(mode)));

function page(mode: string): UserConfig {
  // Tools that only read this file have a mode of their own.
  const name = PAGE_MODES.find((known) => known === mode) ?? "widget";
  const isReact = name === "editor" && process.env["EDITOR_WITH_REACT"] === "1";
  return {
    ...common(),
    base: BASE,
    resolve: { alias: name === "editor" && !isReact ? EDITOR_ALIASES : {} },
    oxc: {
      jsx: { runtime: "automatic", importSource: name === "editor" ? "react" : "preact" },
    },
    build: {
      ...output(),
      manifest: "vite-manifest.json",
      // A picture or font inside a style sheet would be a `data:` address, which the policy allows for pictures only.
      assetsInlineLimit: 0,
      modulePreload: false,
      rolldownOptions: {
        input: { [name]: path(ENTRIES[name]) },
        output: {
          entryFileNames: "[name]-[hash].js",
          chunkFileNames: "[name]-[hash].js",
          assetFileNames: "[name]-[hash][extname]",
        },
      },
    },
    worker: {
      format: "es",
      rolldownOptions: { output: { entryFileNames: "[name]-[hash].js" } },
    },
  };
}

/** One file of a fixed name: the version is part of the name, and caches ask again after five minutes. */
function sdk(mode: string): UserConfig {
  const isModule = mode === "sdk-esm";
  return {
    ...common(),
    build: {
      ...output(),
      lib: {
        entry: path(isModule ? "src/web/sdk/v1-module.ts" : "src/web/sdk/v1-script.ts"),
        formats: [isModule ? "es" : "iife"],
        name: "Edgeloom",
        fileName: () => (isModule ? "v1.mjs" : "v1.js"),
      },
      // Vite keeps the white space of modules, for bundlers that read comments; browsers load this one.
      rolldownOptions: { output: { minify: true } },
    },
  };
}

function common() {
  return {
    root: path("."),
    publicDir: false as const,
    logLevel: "error" as const,
    // Nothing of the machine's environment enters a build.
    envDir: false as const,
    define: { "process.env.NODE_ENV": '"production"' },
    css: {
      transformer: "lightningcss" as const,
      // The same browsers, as Lightning CSS writes them: one byte for each part of a version.
      lightningcss: {
        targets: { chrome: 123 << 16, safari: (17 << 16) | (5 << 8), firefox: 120 << 16 },
      },
    },
  };
}

function output() {
  return {
    target: TARGET,
    cssTarget: TARGET,
    emptyOutDir: false,
    minify: true,
    reportCompressedSize: false,
    sourcemap: false,
  };
}
