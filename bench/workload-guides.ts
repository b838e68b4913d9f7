import type { Workload } from "./figure.ts";

/** The description of each workload for docs/benchmarks.md, in its order. */
export const WORKLOAD_GUIDES: Readonly<
  Record<Workload, { readonly title: string; readonly text: string }>
> = {
  W1: {
    title: "W1: one step",
    text: "A run of one inline calculation, `x + 1`.",
  },
  W2: {
    title: "W2: ten steps",
    text: "Ten such calculations in a row; each uses the previous result.",
  },
  W3: {
    title: "W3: 200 runs of ten steps, by 1 to 64 clients",
    text:
      "Each client starts its next run when its previous one has ended. The clock runs from the first POST to " +
      "the last end. To limit all clients together to a thousand polls a second, each waits " +
      "as many milliseconds as there are clients. A contender starts no run after 4 s, " +
      "Cloudflare Workflows after 2 s.",
  },
  W4: {
    title: "W4: fan-outs",
    text:
      "A range of numbers, each through a calculation and a text template, joined to one " +
      "text that is compared as a whole. The bare object writes one row per item, a hundred per commit. " +
      "Cloudflare Workflows makes one step per item and is compared at 100 and 1,000 items only: its " +
      "local engine fails at 5,000 steps in one run. The times of the first and last item are read from polls of the " +
      "trace, which are slower than polls of the run.",
  },
  W5: {
    title: "W5: many steps in one run",
    text:
      "Whether the cost of a step grows with the length of the run. A definition holds 500 nodes, so a " +
      "thousand steps are 490 nodes over two elements; the peers have chains of as many steps, and fewer " +
      "samples, since their long runs take seconds. They do not alternate with the service.",
  },
  W6: {
    title: "W6: submits under load",
    text:
      "In a closed loop, eight clients send their next submit when the previous one is answered: this measures " +
      "the rate, and their wait is always eight times the duration of one submit. In the open " +
      "loops submits are due at a fixed rate whether or not earlier ones are answered (45 % of the rate of bare " +
      "objects, and a hundred a second), and each is measured from its " +
      "due time: a stall counts against all submits that were due meanwhile (no coordinated omission). The " +
      "outputs of all runs are checked, and the step count of one in ten. Cloudflare Workflows' " +
      "`create()` is measured last and does not alternate, so that files left by its instances affect nothing else, " +
      "and not at 45 % of the bare rate. The open loop of a hundred a second is one window each: its 99th " +
      "percentile has no spread.",
  },
  W7: {
    title: "W7: SIGKILL",
    text:
      "20 runs of 40 steps are sent at once. When a third, then two thirds of them are " +
      "made, workerd and its parent process are killed and started again on the same folder. " +
      "Nothing is sent until their files stop changing. In the service each step is a task, a code drawn " +
      "and read back, since inline steps end too soon to be interrupted; the bare object under an alarm " +
      "and Cloudflare Workflows make empty steps and are killed by the clock. Cloudflare Workflows " +
      "is killed once, in the same version of Miniflare; that says nothing of Cloudflare itself.",
  },
  W8: {
    title: "W8: cancel",
    text:
      "A fan-out of 10,000 tasks, each a picture drawn and stored, is cancelled when 200 are done. The " +
      "time of the last effect is read from the disk: the newest file. Cloudflare Workflows has a chain " +
      "of steps that wait 5 ms each, since a `terminate()` takes effect only while a step waits. No bare object " +
      "is measured: the platform sets no lower bound for a cancel here.",
  },
  W9: {
    title: "W9: repeating a run of which 1 % failed",
    text:
      "A run of 10,000 tasks, each an EAN-13 code drawn and read back, of which one in a hundred fails because " +
      "its number has too few digits; then its retry with a corrected input, which reaches every item " +
      "and changes what follows from one in a hundred. In rows that say so, from before retries, the caller submits " +
      "all of it again, and all of it is executed and charged again. " +
      "The codes that both runs drew, failed and returned are checked by their traces and outputs. It has no peer: " +
      "it is compared with its own first run and with the number of failed codes.",
  },
  W10: {
    title: "W10: bytes for each item",
    text:
      "Bytes of the used pages in the SQLite file of the run's object, divided by its " +
      "items. Two nodes have run for each item, and each has a row that can be read, traced and " +
      "charged; the bare object has one row of two numbers.",
  },
  sustained: {
    title: "Sustained",
    text:
      "Complete runs for 30 s, by 48 clients with one-step runs, and by 8 clients " +
      "with runs of 100 steps; the bare object for 5 s. Started runs are finished and counted. Also the " +
      "tasks of one run of 10,000 items, what a task costs in bytes to disk and in processor time, and the start of the " +
      "service on a used folder. A rate comes from one window and one run of tasks: it has no spread. Cloudflare Workflows is not " +
      "compared here; W3 has its rate.",
  },
  peers: {
    title: "Beside other engines",
    text:
      "Restate (server BSL 1.1, SDK MIT), DBOS (MIT) on PostgreSQL (PostgreSQL license) and BullMQ (MIT) " +
      "on Redis 7.0 (BSD), with their default durability, BullMQ's Redis with its log synced every " +
      "second, which is weaker than the others'. Each step counts itself and returns a number or a line. " +
      "Their driver responds to the POST before the engine has the run; the service responds when " +
      "it is durable. A fan-out that takes more than 45 s is abandoned.",
  },
};
