/**
 * Checks the import rules, after proving with planted violations that each rule works, and checks that the graph in
 * docs/imports.md is current. `--write` updates the graph.
 */
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const RULES = join(ROOT, ".dependency-cruiser.cjs");
const FOLDERS = ["src", "durable-objects", "queues"];

interface Cruise {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
  readonly summary: {
    readonly violations: readonly { from: string; to: string; rule: { name: string } }[];
  };
}

/** A file that violates a rule, and the rule that must report it. */
const PLANTED = [
  { rule: "lib-imports", from: "src/lib/planted.ts", to: "src/contracts/target.ts" },
  { rule: "contracts-imports", from: "src/contracts/planted.ts", to: "src/engine/target.ts" },
  { rule: "engine-imports", from: "src/engine/planted.ts", to: "src/storage/target.ts" },
  { rule: "expressions-imports", from: "src/expressions/planted.ts", to: "src/nodes/target.ts" },
  { rule: "platform-imports", from: "src/platform/planted-api.ts", to: "src/api/target.ts" },
  { rule: "storage-imports", from: "src/storage/planted.ts", to: "src/domain/target.ts" },
  { rule: "images-imports", from: "src/images/planted.ts", to: "src/platform/target.ts" },
  { rule: "datasets-imports", from: "src/datasets/planted.ts", to: "src/platform/target.ts" },
  { rule: "formats-imports", from: "src/formats/planted.ts", to: "src/datasets/target.ts" },
  { rule: "templates-imports", from: "src/templates/planted.ts", to: "src/render/target.ts" },
  { rule: "render-imports", from: "src/render/planted.ts", to: "src/domain/target.ts" },
  { rule: "pages-imports", from: "src/pages/planted.ts", to: "src/storage/target.ts" },
  { rule: "web-imports", from: "src/web/planted.ts", to: "src/domain/target.ts" },
  { rule: "registry-lists-nodes", from: "src/nodes/registry.ts", to: "src/engine/target.ts" },
  { rule: "nodes-stand-alone", from: "src/nodes/text/planted.ts", to: "src/nodes/image/target.ts" },
  { rule: "providers-imports", from: "src/providers/planted.ts", to: "src/domain/target.ts" },
  {
    rule: "the-catalog-calls-no-provider",
    from: "src/providers/planted/entries.ts",
    to: "src/platform/target.ts",
  },
  { rule: "domain-imports", from: "src/domain/planted.ts", to: "src/api/target.ts" },
  { rule: "api-imports", from: "src/api/planted.ts", to: "src/storage/target.ts" },
  {
    rule: "durable-objects-imports",
    from: "durable-objects/run/planted.ts",
    to: "src/api/target.ts",
  },
  { rule: "queues-imports", from: "queues/planted.ts", to: "src/domain/target.ts" },
  { rule: "workers-imports", from: "src/workers/runner/planted.ts", to: "src/api/target.ts" },
  {
    rule: "shared-tools-are-of-no-worker",
    from: "src/workers/shared/planted.ts",
    to: "src/workers/runner/target.ts",
  },
  {
    rule: "a-worker-knows-no-other",
    from: "src/workers/media/planted.ts",
    to: "src/workers/runner/target.ts",
  },
  {
    rule: "tools-stay-in-their-worker",
    from: "src/platform/planted.ts",
    to: "src/workers/runner/target.ts",
  },
  { rule: "wasm-stays-in-its-worker", from: "src/media/planted.ts", to: "src/images/target.wasm" },
  {
    rule: "runner-objects-only-in-the-runner",
    from: "durable-objects/workspace/planted.ts",
    to: "durable-objects/executor/target.ts",
  },
  {
    rule: "renderer-has-its-own-objects-only",
    from: "src/workers/renderer/planted.ts",
    to: "durable-objects/provider-gate/target.ts",
  },
  {
    rule: "media-worker-has-its-own-objects-only",
    from: "src/workers/media/planted-object.ts",
    to: "durable-objects/provider-gate/target.ts",
  },
  { rule: "media-imports", from: "src/media/planted-import.ts", to: "src/images/target.ts" },
  {
    rule: "state-objects-only-in-the-api-worker",
    from: "durable-objects/zip-builder/planted.ts",
    to: "durable-objects/run/target.ts",
  },
  { rule: "api-worker-has-no-wasm", from: "src/worker.ts", to: "src/images/target.wasm" },
  {
    rule: "cloudflare-workers-module-only-in-objects",
    from: "src/domain/planted-module.ts",
    to: "cloudflare:workers",
  },
] as const;

/** Two files that import each other's types. */
const CIRCLE = ["src/lib/circle-a.ts", "src/lib/circle-b.ts"] as const;
const DRAWING = join(ROOT, "docs/imports.md");

const isSound = (await plantedAreCaught()) && (await projectIsClean());
process.exit(isSound ? 0 : 1);

async function plantedAreCaught(): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), "edgeloom-imports-"));
  try {
    await copyFile(join(ROOT, "tsconfig.json"), join(directory, "tsconfig.json"));
    await symlink(join(ROOT, "node_modules"), join(directory, "node_modules"));
    for (const { from, to } of PLANTED) {
      const isFile = !to.startsWith("cloudflare:");
      if (isFile) {
        await put(directory, to, to.endsWith(".wasm") ? "" : "export const target = 1;\n");
      }
      await put(
        directory,
        from,
        `import { target } from "${isFile ? relativeTo(from, to) : to}";\nexport const planted = target;\n`,
      );
    }
    const [a, b] = CIRCLE;
    await put(directory, a, 'import type { B } from "./circle-b.ts";\nexport type A = B | 1;\n');
    await put(directory, b, 'import type { A } from "./circle-a.ts";\nexport type B = A[];\n');
    const { violations } = (await cruise(directory)).summary;
    const circle = { rule: "no-cycles", from: a, to: b } as const;
    const missed = [...PLANTED, circle].filter(
      ({ rule, from }) =>
        !violations.some((found) => found.rule.name === rule && found.from === from),
    );
    for (const { rule, from, to } of missed) {
      console.error(
        `The rule ${rule} did not report that ${from} imports ${to}: the check does not work.`,
      );
    }
    const unplanted = await unplantedRules(PLANTED.map(({ rule }) => rule));
    for (const name of unplanted) {
      console.error(`No violation of the rule ${name} is planted: add one.`);
    }
    if ((await unplantedRules([])).length === 0) {
      console.error(
        "A rule without a planted violation was not reported: the check does not work.",
      );
      return false;
    }
    const idle = await idleRules(["src/unruled/planted.ts"]);
    for (const planted of ["The rule lib-imports", "src/unruled may import"]) {
      if (!idle.some((complaint) => complaint.includes(planted))) {
        console.error(`"${planted}" was not reported: the check does not work.`);
        return false;
      }
    }
    return missed.length === 0 && unplanted.length === 0;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function projectIsClean(): Promise<boolean> {
  const { modules, summary } = await cruise(ROOT);
  const ours = modules.filter(({ source }) =>
    FOLDERS.some((folder) => source.startsWith(`${folder}/`)),
  );
  for (const { from, to, rule } of summary.violations) {
    console.error(`${rule.name}: ${from} imports ${to}`);
  }
  if (ours.length === 0) {
    console.error("No module was read: the check does not work.");
    return false;
  }
  const idle = await idleRules(ours.map(({ source }) => source));
  for (const complaint of idle) {
    console.error(complaint);
  }
  console.log(
    `imports: ${ours.length} modules, ${summary.violations.length} violations; ${PLANTED.length + 1} planted ones were reported`,
  );
  return summary.violations.length === 0 && idle.length === 0 && (await drawingIsCurrent(modules));
}

/** Names of the rules, except for circles, that are not in `planted`. */
async function unplantedRules(planted: readonly string[]): Promise<string[]> {
  const { default: rules } = (await import(RULES)) as {
    default: { forbidden: { name: string }[] };
  };
  return rules.forbidden
    .map(({ name }) => name)
    .filter((name) => name !== "no-cycles" && !planted.includes(name));
}

/** Rules for folders that do not exist, and folders without a rule. */
async function idleRules(sources: readonly string[]): Promise<string[]> {
  const { default: rules } = (await import(RULES)) as {
    default: { forbidden: { name: string; from: { path?: string | string[] } }[] };
  };
  const named = rules.forbidden.flatMap(({ name, from }) =>
    from.path === undefined
      ? []
      : [{ name, paths: [from.path].flat().map((path) => new RegExp(path)) }],
  );
  const idle = named
    .filter(({ paths }) => !sources.some((source) => paths.some((path) => path.test(source))))
    .map(({ name }) => `The rule ${name} matches no file: remove it, or correct its path.`);
  const bound = named.filter(({ paths }) => !paths.some((path) => path.test("src/none/file.ts")));
  const unbound = [...new Set(sources.map((source) => source.split("/").slice(0, 2).join("/")))]
    .filter((folder) => folder.startsWith("src/") && !folder.endsWith(".ts"))
    .filter(
      (folder) => !bound.some(({ paths }) => paths.some((path) => path.test(`${folder}/a/b.ts`))),
    )
    .map((folder) => `No rule defines what ${folder} may import.`);
  return [...idle, ...unbound];
}

/** The folders and their imports in Mermaid syntax, which GitHub renders. */
function drawingOf(modules: Cruise["modules"]): string {
  const counts = new Map<string, number>();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [folderOf(source), folderOf(resolved)];
      if (from !== undefined && to !== undefined && from !== to) {
        counts.set(`${from} --> ${to}`, (counts.get(`${from} --> ${to}`) ?? 0) + 1);
      }
    }
  }
  return [
    "```mermaid",
    "flowchart TD",
    ...[...counts.keys()].toSorted().map((arrow) => `  ${arrow}`),
    "```",
  ].join("\n");
}

/** Returns `engine` for `src/engine/step/step.ts` and `durable-objects` for `durable-objects/run/…`. */
function folderOf(path: string): string | undefined {
  const [first = "", second = "", third] = path.split("/");
  if (first === "src") {
    return third === undefined ? undefined : second;
  }
  return FOLDERS.includes(first) ? first : undefined;
}

async function drawingIsCurrent(modules: Cruise["modules"]): Promise<boolean> {
  const text = await readFile(DRAWING, "utf8");
  const drawn = text.replace(/```mermaid\n[\s\S]*?```/, drawingOf(modules));
  if (process.argv.includes("--write")) {
    await writeFile(DRAWING, drawn);
    return true;
  }
  if (drawn !== text) {
    console.error("docs/imports.md is outdated: run node scripts/check-imports.ts --write.");
  }
  return drawn === text;
}

async function cruise(directory: string): Promise<Cruise> {
  const args = [
    join(ROOT, "node_modules/.bin/depcruise"),
    "--config",
    RULES,
    "--output-type",
    "json",
    ...FOLDERS,
  ];
  const { stdout } = await run(process.execPath, args, {
    cwd: directory,
    maxBuffer: 256 * 1024 * 1024,
  });
  return JSON.parse(stdout) as Cruise;
}

async function put(directory: string, path: string, text: string): Promise<void> {
  await mkdir(join(directory, dirname(path)), { recursive: true });
  await writeFile(join(directory, path), text);
}

function relativeTo(from: string, to: string): string {
  return "../".repeat(from.split("/").length - 1) + to;
}
