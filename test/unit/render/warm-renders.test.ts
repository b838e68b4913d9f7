/** What a second render with other values does not do again, and that what is kept stays small. */
import { describe, expect, it } from "vitest";
import { createHash } from "node:crypto";
import { writePdf } from "../../../src/render/pdf/write-pdf.ts";
import { KeptRuns } from "../../../src/render/shaping/kept-runs.ts";
import { layOut } from "../../../src/templates/layout/lay-out.ts";
import { prepareDocument } from "../../../src/templates/layout/prepare/prepare-document.ts";
import {
  KEPT_CHARACTERS_MAX,
  TextCache,
} from "../../../src/templates/layout/elements/text-cache.ts";
import { layOutText } from "../../../src/templates/text/lay-out-text.ts";
import type { FontFace } from "../../../src/templates/text/font-face.ts";
import type { OverflowPolicy, TextSpec } from "../../../src/templates/text/text-spec.ts";
import { makeShaper, openFont } from "../../support/fonts/shaper.ts";
import { PLAIN_OPTIONS } from "../../support/pdf/plain-options.ts";
import { layOutPlainText, NO_FONTS } from "../../support/templates/fake-text.ts";
import { DEFAULT_OPTIONS, documentOf, field } from "../../support/templates/layout-kit.ts";

const text = (content: string, more: object = {}) => ({
  $type: "text",
  left: 0,
  top: 0,
  width: 150,
  height: 20,
  text: content,
  ...more,
});

const LETTER = documentOf([
  [
    text("Dear"),
    text("guest", { top: 30, placeholder: field("name", "text") }),
    text("Yours sincerely", { top: 60 }),
  ],
]);

/** A renderer that counts the texts that are laid out and shaped, and the fonts that are cut. */
function countingRenderer() {
  const shaper = makeShaper();
  const face = openFont(shaper, "sans");
  const fonts = {
    chainOf: () => ({ first: face as FontFace, substituted: undefined, faceFor: () => face }),
  };
  const document = prepareDocument(LETTER);
  const laid: string[] = [];
  const subsets: Uint8Array[] = [];
  const render = async (name: string, overflowPolicy: OverflowPolicy = "template") => {
    laid.length = 0;
    subsets.length = 0;
    const made = layOut({
      document,
      values: { name },
      options: { ...DEFAULT_OPTIONS, overflowPolicy },
      resources: { fonts, pictures: new Map(), artworks: new Map() },
      layOutText: (spec, given) => {
        laid.push(spec.paragraphs.flatMap(({ runs }) => runs.map((run) => run.text)).join(""));
        return layOutText(spec, given);
      },
    });
    if (!made.ok) {
      throw new Error("The layout failed.");
    }
    const watched = new Proxy(face, {
      get: (target, key) => {
        if (key === "subset") {
          return (glyphs: readonly number[]) => {
            const subset = target.subset(glyphs);
            subsets.push(subset);
            return subset;
          };
        }
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const nothing = () => {
      throw new Error("The letter has no pictures.");
    };
    const digest = createHash("sha256");
    const resources = { face: () => watched, picture: nothing, artwork: nothing };
    for await (const piece of writePdf(made.displayList.pages, resources, PLAIN_OPTIONS)) {
      digest.update(piece);
    }
    return { laid: [...laid], subset: subsets[0], digest: digest.digest("hex") };
  };
  return { render, shaper };
}

describe("a warm revision", () => {
  it.each(["template", "fail", "clip"] as const)(
    "lays out only the texts with values again, under the policy %s",
    async (policy) => {
      const { render } = countingRenderer();
      expect((await render("Ada", policy)).laid.toSorted()).toEqual([
        "Ada",
        "Dear",
        "Yours sincerely",
      ]);
      expect((await render("Grace", policy)).laid).toEqual(["Grace"]);
    },
  );

  it("gives a text that was laid out under another policy its own layout", async () => {
    const { render } = countingRenderer();
    await render("Ada", "template");
    expect((await render("Ada", "fail")).laid).toHaveLength(3);
  });

  it("embeds the same file for the same characters, and cuts one for others", async () => {
    const { render } = countingRenderer();
    const first = await render("Ada");
    const second = await render("daA");
    const other = await render("Zoë");
    expect(second.subset).toBe(first.subset);
    expect(other.subset).not.toBe(first.subset);
  });

  it("gives the bytes that a cold renderer gives", async () => {
    const warm = countingRenderer();
    await warm.render("Zoë");
    await warm.render("Adam");
    const [kept, fresh] = [await warm.render("Ada"), await countingRenderer().render("Ada")];
    expect(kept.digest).toBe(fresh.digest);
  });

  it("counts what the shaper keeps, and forgets it when its memory is needed", async () => {
    const { render, shaper } = countingRenderer();
    expect(shaper.keptBytes).toBe(0);
    await render("Ada");
    expect(shaper.keptBytes).toBeGreaterThan(5_000);
    shaper.drop();
    expect([shaper.keptBytes, shaper.memoryBytes]).toEqual([0, 0]);
  });
});

describe("texts that are kept", () => {
  const specOf = (content: string): TextSpec => {
    const [page] = prepareDocument(documentOf([[text(content)]])).pages;
    const [element] = page?.elements ?? [];
    if (element?.kind !== "text") {
      throw new Error("The document has no text.");
    }
    return element.spec;
  };
  const half = "x".repeat(KEPT_CHARACTERS_MAX / 2 - 1);

  function counted() {
    const laid: TextSpec[] = [];
    const cache = new TextCache(NO_FONTS, (spec) => {
      laid.push(spec);
      return layOutPlainText(spec);
    });
    return {
      laid,
      layOut: (...specs: readonly TextSpec[]) => {
        for (const spec of specs) {
          cache.layOutStatic(spec, "template");
        }
      },
    };
  }

  it("have a total length, within which those that are used stay", () => {
    const { laid, layOut } = counted();
    const [a, b, c] = [specOf(half), specOf(half), specOf(half)];
    for (let renders = 0; renders < 3; renders++) {
      layOut(a, b, c);
    }
    expect(laid).toEqual([a, b, c, c, c]);
  });

  it("make room once nobody uses them", () => {
    const { laid, layOut } = counted();
    const [a, b, c] = [specOf(half), specOf(half), specOf(half)];
    layOut(a, b);
    layOut(c, c, c, c);
    expect(laid).toEqual([a, b, c, c, c]);
  });
});

describe("shaped runs that are kept", () => {
  const run = (length: number) => ({ length, records: new Int32Array(0) });

  it("are found by face, options and text", () => {
    const runs = new KeptRuns(1_000);
    const one = run(4);
    runs.keep("face", "options", "text", one);
    expect(runs.find("face", "options", "text")).toBe(one);
    expect([
      runs.find("other", "options", "text"),
      runs.find("face", "other", "text"),
      runs.find("face", "options", "other"),
    ]).toEqual([undefined, undefined, undefined]);
  });

  it("weigh no more than allowed, and the one that is used stays", () => {
    const runs = new KeptRuns(10_000);
    const used = run(84);
    runs.keep("face", "options", "used", used);
    for (let i = 0; i < 1_000; i++) {
      runs.keep("face", "options", `text ${i}`, run(84));
      expect(runs.find("face", "options", "used")).toBe(used);
      expect(runs.weight).toBeLessThanOrEqual(10_000);
    }
    expect(runs.find("face", "options", "text 0")).toBeUndefined();
    expect(runs.find("face", "options", "text 999")).toBeDefined();
  });
});
