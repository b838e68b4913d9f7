/** Prints the golden renders of the cases on stdin, `area: name` one on each line, as JSON: another process. */
import { text } from "node:stream/consumers";
import { GOLDEN_CASES } from "./golden/golden-cases.ts";
import { goldenOf, goldenRequest } from "./golden/golden-render.ts";
import { renderInNode } from "./node-renderer.ts";

const found: Record<string, unknown> = {};
for (const line of (await text(process.stdin)).split("\n")) {
  const [area = "", name = ""] = line.split(": ", 2);
  const golden = GOLDEN_CASES[area]?.[line.slice(area.length + 2)];
  if (golden === undefined) {
    throw new Error(`There is no golden render ${area}: ${name}.`);
  }
  found[line] = goldenOf(await renderInNode(golden.document, golden.values, goldenRequest(golden)));
}
process.stdout.write(JSON.stringify(found));
