/** Verdicts on random pairs of revisions (docs/contract/templates.md#compatibility). */
import { expect, test } from "vitest";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import {
  compareContracts,
  INCOMPATIBLE,
} from "../../../src/templates/compatibility/compare-contracts.ts";
import {
  type Counterexample,
  findCounterexamples,
} from "../../../src/templates/compatibility/find-counterexample.ts";
import { contractOf } from "../../../src/templates/contract/contract-of.ts";
import type { FieldSpec } from "../../../src/templates/document/field-tree.ts";
import { validateDocument } from "../../../src/templates/document/validate-document.ts";
import { findMissingFields } from "../../../src/templates/layout/fields/missing-fields.ts";
import { prepareDocument } from "../../../src/templates/layout/prepare/prepare-document.ts";
import { Scope } from "../../../src/templates/layout/fields/scope.ts";
import { checkValues, type Values } from "../../../src/templates/values/check-values.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { sizeOf } from "../../support/sizes.ts";
import {
  documentOf,
  nextRevision,
  randomRevision,
  randomValues,
  type RandomRevision,
} from "../../support/templates/random-revisions.ts";

/** A revision, and whether it takes a request: what a render checks before it lays anything out. */
function revisionOf(revision: RandomRevision) {
  const valid = validateDocument(documentOf(revision));
  if (!valid.ok) {
    throw new Error(JSON.stringify(valid.problems[0]));
  }
  const { document, fields } = valid;
  const prepared = prepareDocument(document);
  const contract = contractOf(document, fields);
  const accepts = (given: Values, mustFit: boolean) => {
    const { values, problems } = checkValues(fields, given);
    const scope = Scope.ofDocument(values, prepared.fields);
    return (
      problems.length === 0 &&
      findMissingFields(prepared.fields, scope).length === 0 &&
      !(mustFit && overflows(fields, values))
    );
  };
  /** The pages that a selection means; null if one is not there. */
  const selected = (selection: string) => {
    const chosen =
      selection === "all"
        ? contract.pages
        : contract.pages.slice(Number(selection) - 1, Number(selection));
    return chosen.length === 0 ? null : JSON.stringify(chosen);
  };
  return { contract, accepts, selected };
}

function overflows(fields: ReadonlyMap<string, FieldSpec>, values: Values): boolean {
  return [...fields.values()].some(({ code, itemsMax, items }) => {
    const list = values[code];
    return (
      itemsMax !== undefined &&
      Array.isArray(list) &&
      (list.length > itemsMax ||
        (list as JsonValue[]).some((item) => overflows(items, item as Values)))
    );
  });
}

test("a compatible revision takes what the other takes; a counterexample breaks it", () => {
  const seen = { compatible: 0, accepted: 0, counterexamples: 0 };
  /** Changes that alone made a pair incompatible, and broke a request: none may be called compatible. */
  const needed = new Set<string>();
  for (let seed = 0; seed < sizeOf("revisionPairs"); seed += 1) {
    const random = new SeededRandom(seed);
    const first = randomRevision(random);
    const [from, to] = [revisionOf(first), revisionOf(nextRevision(random, first))];
    const changes = compareContracts(from.contract, to.contract);
    if (changes.every(({ compatible }) => compatible)) {
      seen.compatible += 1;
      for (let set = 0; set < sizeOf("valuesOfRevision"); set += 1) {
        const values = randomValues(random, first.fields) as Values;
        for (const mustFit of [false, true]) {
          if (from.accepts(values, mustFit)) {
            seen.accepted += 1;
            expect(to.accepts(values, mustFit), `seed ${seed}: ${JSON.stringify(values)}`).toBe(
              true,
            );
          }
        }
      }
    }
    const breaking = new Set(changes.filter((one) => !one.compatible).map(({ code }) => code));
    for (const example of findCounterexamples(from.contract, to.contract, changes)) {
      seen.counterexamples += 1;
      expect(separates(example, from, to), `seed ${seed}: ${JSON.stringify(example)}`).toBe(true);
      if (breaking.size === 1) {
        needed.add([...breaking].join());
      }
    }
  }
  expect([...needed].toSorted()).toEqual([...INCOMPATIBLE].toSorted());
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(20);
});

type Revision = ReturnType<typeof revisionOf>;

function separates(
  { values, page_selection: selection, overflow_policy: policy }: Counterexample,
  from: Revision,
  to: Revision,
): boolean {
  const mustFit = policy === "fail";
  return (
    from.accepts(values, mustFit) &&
    (!to.accepts(values, mustFit) ||
      (selection !== undefined && from.selected(selection) !== to.selected(selection)))
  );
}
