/**
 * Runs npm scripts two at a time, in the order given, and prints the output of each when it ends, with the seconds it took. All
 * run, whichever fail; the exit code is 1 if any does. `npm run check` names the longest first, so that none begins when the others
 * have ended.
 */
import { runChecks } from "./checks.ts";

const failed = await runChecks(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
});
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
}
process.exit(failed.length === 0 ? 0 : 1);
