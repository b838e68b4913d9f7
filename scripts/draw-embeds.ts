/**
 * Takes the pictures of docs/embeds.md and docs/editor.md: the widget in each layout, in both themes and in Arabic, and the
 * editor. Starts a service of its own with the samples:
 *
 * node scripts/draw-embeds.ts [folder]
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Frame, Page } from "playwright-core";
import { openBrowser } from "../test/support/node/open-browser.ts";
import { startService } from "../test/support/node/start-service.ts";
import { startScriptedEmbed } from "../test/support/node/widget/scripted-embed.ts";
import { picture } from "../test/support/node/widget/scripted-results.ts";
import type { ApiClient } from "./api-client.ts";
import { readSample, type Sample } from "./provision.ts";
import { SYSTEM_FONT_SOURCES } from "./system-font-sources.ts";

const FOLDER = join(import.meta.dirname, "../docs/pictures/embeds");
/** Of WebP, at which letters have clean edges. */
const QUALITY = 90;
/** Around the card, in CSS pixels. */
const MARGIN = 24;
/** The page of the host below the frame. */
const GROUNDS = { light: "#eef1f4", dark: "#0d1014" } as const;

type Theme = keyof typeof GROUNDS;

interface Shot {
  readonly name: string;
  readonly layout: "default" | "compact" | "inline";
  readonly theme: Theme;
  readonly locale: "en" | "ar";
  readonly width: number;
  /** What is done before the picture. */
  readonly state: "idle" | "done";
}

const SHOTS: readonly Shot[] = [
  ...(["light", "dark"] as const).flatMap((theme) =>
    (["default", "compact", "inline"] as const).map((layout) => ({
      name: `widget-${layout}-${theme}`,
      layout,
      theme,
      locale: "en" as const,
      width: layout === "inline" ? 960 : 480,
      state: "idle" as const,
    })),
  ),
  {
    name: "widget-results-light",
    layout: "default",
    theme: "light",
    locale: "en",
    width: 640,
    state: "done",
  },
  {
    name: "widget-arabic-dark",
    layout: "default",
    theme: "dark",
    locale: "ar",
    width: 480,
    state: "idle",
  },
];

if (process.argv[1] === import.meta.filename) {
  const folder = process.argv[2] ?? FOLDER;
  await mkdir(folder, { recursive: true });
  const browser = await openBrowser();
  try {
    await drawWidget(browser, folder);
    const service = await startService();
    try {
      await drawEditor(browser, service.client, folder);
    } finally {
      await service.stop();
    }
  } finally {
    await browser.close();
  }
}

async function drawWidget(browser: Browser, folder: string): Promise<void> {
  const embed = await startScriptedEmbed();
  try {
    for (const { name, layout, theme, locale, width, state } of SHOTS) {
      const page = await browser.newPage({
        viewport: { width: width + 2 * MARGIN, height: 800 },
        colorScheme: theme,
        reducedMotion: "reduce",
        // Lets the page below have a font that its own policy would refuse.
        bypassCSP: true,
      });
      embed.script({ end: "completed" });
      await page.goto(`${embed.host}/host`);
      await page.addStyleTag({
        content: `body { padding: ${String(MARGIN)}px; background: ${GROUNDS[theme]} }`,
      });
      const query = `layout=${layout}&theme=${theme}&locale=${locale}`;
      await page.evaluate(`show(${JSON.stringify(embed.page(query))}, "${String(width)}px")`);
      const element = await page.waitForSelector("iframe", { state: "attached" });
      const frame = await element.contentFrame();
      if (frame === null) {
        throw new Error("The host's page has no frame.");
      }
      await frame.waitForSelector('[data-phase="idle"]');
      if (locale === "ar") {
        await addArabicFont(frame);
      }
      await fill(frame);
      if (state === "done") {
        embed.release();
        await frame.click('[data-svc-action="execute"]');
        await frame.waitForSelector('[data-phase="done"]');
      }
      // Pictures below the fold load only when they are asked for.
      await frame.evaluate(`Promise.all([...document.images].map((image) => {
        image.loading = "eager";
        return image.decode();
      }))`);
      await frame.evaluate("document.activeElement.blur()");
      const height = await page.evaluate<number>("document.body.scrollHeight");
      await page.setViewportSize({ width: width + 2 * MARGIN, height });
      await save(page, join(folder, `${name}.webp`));
      await page.close();
    }
  } finally {
    await embed.close();
  }
}

/** The browser of the tests has no Arabic letters, those of readers have. */
async function addArabicFont(frame: Frame): Promise<void> {
  const file = `${SYSTEM_FONT_SOURCES.find(({ slug }) => slug === "noto-sans-arabic")?.files["400"]}`;
  const font = await readFile(join(import.meta.dirname, "../node_modules", file), "base64");
  await frame.addStyleTag({
    content: `@font-face { font-family: Letters; src: url(data:font/ttf;base64,${font}); unicode-range: U+0600-06FF }
      * { font-family: Letters, "Noto Sans", "Open Sans", sans-serif !important }`,
  });
  await frame.evaluate("document.fonts.ready");
}

async function fill(frame: Frame): Promise<void> {
  await frame.fill('[data-svc-field="name"] input', "Linden, 250 g");
  await frame.setInputFiles('[data-svc-field="photo"] input', {
    name: "linden-250g.png",
    mimeType: "image/png",
    buffer: picture("2.png").bytes,
  });
  await frame.waitForSelector('[data-svc-field="photo"] .has button');
  const scene = await frame.$('[data-svc-field="scene"] input[value="scene_2"]');
  await (scene === null
    ? frame.selectOption('[data-svc-field="scene"] select', "scene_2")
    : scene.check());
}

/** The greeting card, with a node selected; and after a run, on a dark page. */
async function drawEditor(browser: Browser, client: ApiClient, folder: string): Promise<void> {
  const { token } = await client.call<{ token: string }>("POST", "/api/v1/embed/editor/tokens", {
    body: { allowed_origins: [client.baseUrl] },
  });
  const sample = (await readSample("greeting-card.json")) as Sample;
  for (const theme of ["light", "dark"] as const) {
    const { id } = await client.call<{ id: string }>("POST", "/api/v1/workflows", {
      body: { name: sample.name, definition: sample.definition },
    });
    const page = await browser.newPage({
      viewport: { width: 1440, height: 860 },
      colorScheme: theme,
      reducedMotion: "reduce",
    });
    const query = new URLSearchParams({ token, workflow: id, theme });
    await page.goto(`${client.baseUrl}/embed/editor?${query}`);
    await page.waitForSelector("[data-phase=ready]");
    await page.locator("[data-svc-issues][data-check=done]").waitFor();
    if (theme === "dark") {
      await page.click("[data-svc-action=run]");
      await page.locator("[data-svc-run-input]").first().fill("Ada");
      await page.click("[data-svc-action=start-run]");
      await page.locator("[data-svc-gallery]").waitFor();
      await page.keyboard.press("Escape");
      await page.locator("[data-svc-gallery]").waitFor({ state: "detached" });
    }
    await page.click("[data-svc-node=greeting] b");
    await page.locator("[data-svc-panel=greeting]").waitFor();
    await save(page, join(folder, `editor-${theme}.webp`));
    await page.close();
  }
}

/** What the page shows, as WebP, which the browser's own protocol writes. */
async function save(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
  });
  await writeFile(path, Buffer.from(data, "base64"));
}
