/** The editor as a page of its own in a browser, for end-to-end tests. */
import type { Browser, Frame, Page } from "playwright-core";

/** A slow machine must not fail a test: the limit of the test itself ends one that hangs. */
export const PATIENCE_MS = 240_000;

export interface OpenedPage {
  readonly page: Page;
  /** Errors and warnings of the console, and exceptions, so far. */
  readonly complaints: string[];
}

export interface PageOptions {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  /** What the person asked of the system. */
  readonly reducedMotion?: "reduce" | "no-preference";
  /** What its pages may do, as if the person had allowed it. */
  readonly permissions?: readonly string[];
}

/** Opens an empty page. */
export async function newPage(browser: Browser, options: PageOptions = {}): Promise<OpenedPage> {
  const page = await browser.newPage({
    viewport: { width: options.width ?? 1440, height: 900 },
    colorScheme: options.colorScheme ?? "light",
    reducedMotion: options.reducedMotion ?? "no-preference",
    permissions: [...(options.permissions ?? [])],
  });
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      complaints.push(message.text());
    }
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return { page, complaints };
}

/** Shows the editor and waits until it is ready. `query` has the token and the workflow or a name. */
export async function visitEditor(
  page: Page,
  baseUrl: string,
  query: Readonly<Record<string, string>>,
): Promise<void> {
  await page.goto(`${baseUrl}/embed/editor?${new URLSearchParams(query)}`);
  await page.waitForSelector("[data-phase=ready]");
}

/** Waits until the live region has this text. Fails with the text that it has instead. */
export async function says(page: Page | Frame, text: string | RegExp): Promise<void> {
  try {
    await page.locator("[data-svc-status]", { hasText: text }).waitFor({ state: "attached" });
  } catch (error) {
    const said = await page.locator("[data-svc-status]").textContent();
    throw new Error(`The editor says "${said ?? ""}", not "${String(text)}".`, { cause: error });
  }
}
