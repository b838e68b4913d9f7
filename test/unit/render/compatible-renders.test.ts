/** Verdicts on random pairs of revisions, tried with whole renders (docs/contract/templates.md#compatibility). */
import { expect, test } from "vitest";
import type { RenderRequest } from "../../../src/contracts/templates/renderer.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import {
  compareContracts,
  type ChangeCode,
  INCOMPATIBLE,
} from "../../../src/templates/compatibility/compare-contracts.ts";
import { contractOf } from "../../../src/templates/contract/contract-of.ts";
import { validateDocument } from "../../../src/templates/document/validate-document.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { renderRequest } from "../../support/render/node-renderer.ts";
import { templateRequest } from "../../support/render/template-request.ts";
import { sizeOf } from "../../support/sizes.ts";
import {
  documentOf,
  nextRevision,
  printable,
  randomRevision,
  randomValues,
  type RandomRevision,
  restyled,
} from "../../support/templates/random-revisions.ts";

const SELECTIONS = ["all", "all", "all", "1", "2", "3"] as const;

interface Ask {
  readonly values: JsonValue;
  readonly selection: (typeof SELECTIONS)[number];
  /** Whether texts and lists that do not fit fail the render. */
  readonly mustFit: boolean;
}

/** A revision with its renders: what the renderer does but for the drawing of the PDF. */
async function revisionOf(revision: RandomRevision, style?: SeededRandom) {
  const document = documentOf(revision);
  const shown = style === undefined ? document : restyled(style, document);
  const valid = validateDocument(shown);
  if (!valid.ok) {
    throw new Error(JSON.stringify(valid.problems[0]));
  }
  const contract = contractOf(valid.document, valid.fields);
  const request = await templateRequest(shown as JsonValue, {});
  /** The pages that are printed, each with its size unless its content decides it; null if the request fails. */
  const render = async ({ values, selection, mustFit }: Ask): Promise<string | null> => {
    const asked: RenderRequest = {
      ...request,
      values: JSON.stringify(values),
      has_pdf: false,
      options: {
        ...request.options,
        page_selection: selection,
        overflow_policy: mustFit ? "fail" : "template",
      },
    };
    const made = await renderRequest(asked);
    if (!made.ok) {
      return null;
    }
    return JSON.stringify(
      made.pages.map(({ page_id: id, width, height }) => {
        const fits = contract.pages.some((page) => page.id === id && page.fit_height);
        return [id, width, fits ? "fits" : height];
      }),
    );
  };
  return { contract, render };
}

interface Pair {
  readonly seed: number;
  readonly random: SeededRandom;
  readonly first: RandomRevision;
  readonly second: RandomRevision;
  /** What made the pair incompatible. */
  readonly breaking: ReadonlySet<ChangeCode>;
}

async function pairOf(seed: number): Promise<Pair> {
  const random = new SeededRandom(seed);
  const first = randomRevision(random);
  const second = nextRevision(random, first);
  const [from, to] = [await revisionOf(first), await revisionOf(second)];
  const changes = compareContracts(from.contract, to.contract);
  return {
    seed,
    random,
    first,
    second,
    breaking: new Set(changes.filter((one) => !one.compatible).map(({ code }) => code)),
  };
}

/** Renders random values with both revisions. Returns the first that only the first one prints, and what was printed. */
async function tryValues({ seed, random, first, second }: Pair, sets: number) {
  const from = await revisionOf(first);
  const to = await revisionOf(second);
  // Colors, sizes and places differ in addition; where all must fit they decide. A contract has none of them.
  const toRestyled = await revisionOf(second, random);
  let printed = 0;
  for (let set = 0; set < sets; set += 1) {
    const mustFit = random.chance(0.3);
    const values = printable(randomValues(random, first.fields));
    const ask = { values, selection: random.pick(SELECTIONS), mustFit };
    const before = await from.render(ask);
    if (before === null) {
      continue;
    }
    printed += 1;
    const after = await (mustFit ? to : toRestyled).render(ask);
    if (after !== before) {
      return { printed, broken: `seed ${String(seed)}: ${JSON.stringify({ ask, before, after })}` };
    }
  }
  return { printed, broken: undefined };
}

test("a compatible revision prints what the other prints", async () => {
  let pairs = 0;
  let printed = 0;
  for (let seed = 0; pairs < sizeOf("renderedRevisionPairs"); seed += 1) {
    const pair = await pairOf(seed);
    if (pair.breaking.size > 0 || pair.first.fields.length < 2) {
      continue;
    }
    pairs += 1;
    const tried = await tryValues(pair, sizeOf("renderedValueSets"));
    expect(tried.broken).toBeUndefined();
    printed += tried.printed;
  }
  expect(printed).toBeGreaterThan((pairs * sizeOf("renderedValueSets")) / 2);
});

test("a verdict that misses one code of incompatibility is found by the renders", async () => {
  const missed = new Set<string>(INCOMPATIBLE);
  for (let seed = 0; seed < 2_000 && missed.size > 0; seed += 1) {
    const pair = await pairOf(seed);
    const [code] = pair.breaking;
    if (pair.breaking.size !== 1 || code === undefined || !missed.has(code)) {
      continue;
    }
    if ((await tryValues(pair, 60)).broken !== undefined) {
      missed.delete(code);
    }
  }
  expect([...missed]).toEqual([]);
});
