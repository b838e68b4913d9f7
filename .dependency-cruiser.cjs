/** Who may import whom (DESIGN: the direction of dependencies is a test, not a paragraph). */
const OURS = "^(src|durable-objects|queues)/";
const dir = (name) => `^src/${name}/`;
/** Which Worker holds which objects; a test compares this list with the folders and the wrangler files. */
const owners = require("./durable-objects/owners.json");
const objectsOf = (worker) => `^durable-objects/(?:${owners[worker].join("|")})/`;
const [
  lib,
  contracts,
  expressions,
  engine,
  platform,
  storage,
  images,
  datasets,
  formats,
  render,
  media,
] = [
  "lib",
  "contracts",
  "expressions",
  "engine",
  "platform",
  "storage",
  "images",
  "datasets",
  "formats",
  "render",
  "media",
].map(dir);
const templates = dir("templates");
const [nodes, domain, api, pages, web] = ["nodes", "domain", "api", "pages", "web"].map(dir);
// And what several nodes are made with.
const defineNode = "^src/nodes/define-[\\w-]+\\.ts$";
const registry = "^src/nodes/registry\\.ts$";
const base = [contracts, lib];
const workers = dir("workers");
const providers = dir("providers");
/** What the catalog knows of providers; the code that calls them is the runner's alone. */
const providerEntries = "^src/providers/(?:entries|callable|model-entry)\\.ts$";

const may = (name, from, allowed, extra = {}) => ({
  name: `${name}-imports`,
  severity: "error",
  from: { path: from },
  to: { path: OURS, pathNot: [from, ...allowed], ...extra },
});
// What a service binding offers stands with the code behind it; its type is needed to type the binding.
const notTypeOnly = { dependencyTypesNot: ["type-only"] };

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      // Of types too: two files that need each other to be understood are one subject.
      to: { circular: true },
    },
    may("lib", lib, []),
    may("contracts", contracts, [lib]),
    may("expressions", expressions, base),
    may("engine", engine, [defineNode, ...base]),
    // The built-in models, whose slugs the check of a deployment's own providers needs.
    may("platform", platform, [providerEntries, ...base], notTypeOnly),
    may("storage", storage, [platform, ...base]),
    // Profiles of colors.
    may("images", images, [formats, ...base]),
    may("datasets", datasets, base),
    may("formats", formats, base),
    may("media", media, base),
    may("templates", templates, base),
    may("render", render, [templates, images, formats, ...base]),
    {
      name: "nodes-stand-alone",
      severity: "error",
      from: { path: "^src/nodes/([^/]+)/([^/]+)\\.ts$" },
      to: { path: OURS, pathNot: [defineNode, expressions, ...base] },
    },
    {
      name: "registry-lists-nodes",
      severity: "error",
      from: { path: registry },
      to: { path: OURS, pathNot: [nodes] },
    },
    may("providers", providers, [platform, images, expressions, ...base]),
    {
      name: "the-catalog-calls-no-provider",
      severity: "error",
      from: { path: [providerEntries, "^src/providers/[\\w-]+/entries\\.ts$"] },
      to: {
        path: OURS,
        pathNot: ["^src/providers/[\\w-]+/entries\\.ts$", providerEntries, ...base],
      },
    },
    may("domain", domain, [
      providerEntries,
      engine,
      registry,
      defineNode,
      expressions,
      datasets,
      formats,
      templates,
      storage,
      platform,
      ...base,
    ]),
    may("api", api, [domain, platform, ...base]),
    may("pages", pages, [domain, platform, ...base]),
    may("durable-objects", "^durable-objects/", [
      domain,
      templates,
      engine,
      registry,
      defineNode,
      storage,
      platform,
      ...base,
    ]),
    // Consumers only: they hand over and know of no tool.
    may("queues", "^queues/", [platform, ...base]),
    {
      name: "workers-imports",
      severity: "error",
      from: { path: workers },
      to: { path: [api, pages, web] },
    },
    {
      name: "shared-tools-are-of-no-worker",
      severity: "error",
      from: { path: `${workers}shared/` },
      to: { path: workers, pathNot: `${workers}shared/` },
    },
    {
      name: "a-worker-knows-no-other",
      severity: "error",
      from: { path: `${workers}([^/]+)/` },
      to: { path: workers, pathNot: [`${workers}$1/`, `${workers}shared/`] },
    },
    {
      name: "tools-stay-in-their-worker",
      severity: "error",
      from: { path: OURS, pathNot: workers },
      to: { path: workers },
    },
    {
      name: "wasm-stays-in-its-worker",
      severity: "error",
      from: { path: OURS, pathNot: workers },
      to: { path: "\\.wasm$" },
    },
    {
      name: "runner-objects-only-in-the-runner",
      severity: "error",
      from: { path: ["^src/worker\\.ts$", objectsOf("edgeloom")] },
      to: { path: objectsOf("edgeloom-runner"), ...notTypeOnly },
    },
    {
      name: "renderer-has-its-own-objects-only",
      severity: "error",
      from: { path: `${workers}renderer/` },
      to: {
        path: "^durable-objects/",
        pathNot: ["^durable-objects/shared/", objectsOf("edgeloom-renderer")],
        ...notTypeOnly,
      },
    },
    {
      name: "media-worker-has-its-own-objects-only",
      severity: "error",
      from: { path: `${workers}media/` },
      to: {
        path: "^durable-objects/",
        pathNot: ["^durable-objects/shared/", objectsOf("edgeloom-media")],
        ...notTypeOnly,
      },
    },
    {
      name: "state-objects-only-in-the-api-worker",
      severity: "error",
      from: { path: [workers, objectsOf("edgeloom-runner")] },
      to: { path: objectsOf("edgeloom"), ...notTypeOnly },
    },
    {
      name: "web-imports",
      severity: "error",
      from: { path: web },
      to: { path: OURS, pathNot: [web, ...base] },
    },
    {
      name: "cloudflare-workers-module-only-in-objects",
      severity: "error",
      // The entry points that are no objects, and their stand-in.
      from: {
        pathNot: [
          "^durable-objects/",
          "^test/",
          "^src/workers/runner/(?:batch-exports|file-types|font-checker|model-providers-entry|organization-moves|result-cache|thumbnails|zip-builders)\\.ts$",
          "^src/workers/renderer/render-entry\\.ts$",
          "^src/workers/media/sound-decoder\\.ts$",
          "^src/workers/first-",
        ],
      },
      to: { path: "^cloudflare:workers$" },
    },
    {
      name: "api-worker-has-no-wasm",
      severity: "error",
      from: { path: "^src/worker\\.ts$" },
      to: { path: "\\.wasm$", reachable: true },
    },
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    // What wrangler leaves beside its configuration.
    exclude: { path: "(^|/)\\.wrangler/" },
  },
};
