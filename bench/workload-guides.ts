import type { Workload } from "./figure.ts";

/** What each workload is, for docs/benchmarks.md; in the order in which it shows them. */
export const WORKLOAD_GUIDES: Readonly<
  Record<Workload, { readonly title: string; readonly text: string }>
> = {
  W1: {
    title: "W1: one step",
    text: "A run of one inline calculation, `x + 1`.",
  },
  W2: {
    title: "W2: ten steps",
    text: "Ten such calculations in a row, each from the one before.",
  },
  W3: {
    title: "W3: 200 runs of ten steps, by 1 to 64 clients",
    text:
      "Each client starts its next run when its last is over. The clock runs from the first POST to " +
      "the last end; so that all clients together poll at most a thousand times a second, each waits " +
      "as many milliseconds as there are clients. A contender starts no run after 4 s, " +
      "Cloudflare Workflows after 2 s.",
  },
  W4: {
    title: "W4: fan-outs",
    text:
      "A range of numbers, each through a calculation and a text template, brought together as one " +
      "text that is compared whole. The bare object writes a row an item, a hundred a commit. " +
      "Cloudflare Workflows makes one step an item and stands beside 100 and 1,000 items only: its " +
      "local engine fails at 5,000 steps in one run. The first and last item are what a poll of the " +
      "trace shows, which costs more than a poll of the run.",
  },
  W5: {
    title: "W5: many steps in one run",
    text:
      "Whether a step costs more the longer the run already is. A definition holds 500 nodes, so a " +
      "thousand steps are 490 nodes over two elements; the peers have chains of as many steps, and fewer " +
      "samples, since their long runs take seconds. They are not taken in turns with the service.",
  },
  W6: {
    title: "W6: submits under load",
    text:
      "In a closed loop, eight clients send their next submit when the last is answered: that finds " +
      "the rate, and their waiting is eight times what one submit takes, whatever that is. In the open " +
      "loops submits are due at a fixed rate whether or not the last is answered (45 % of what bare " +
      "objects reach, and a hundred a second), and each counts from when " +
      "it was due: a stall counts against all that were due meanwhile (no coordinated omission). The " +
      "outputs of all runs are checked, and of each tenth the count of its steps. Cloudflare Workflows' " +
      "`create()` comes last, not in turns, so that what its instances leave on the disk burdens nobody, " +
      "and not at 45 % of the bare rate. The open loop of a hundred a second is one window each: its 99th " +
      "percentile has no spread.",
  },
  W7: {
    title: "W7: SIGKILL",
    text:
      "20 runs of 40 steps are sent at once, and when a third, then two thirds of them are " +
      "made, workerd and the process that holds it are killed and started again on the same folder. " +
      "Nothing is sent until no file of theirs changes any more. Here each step is a task, a code drawn " +
      "and read back, since inline steps are over too soon to be struck; the bare object under an alarm " +
      "and Cloudflare Workflows make a step of nothing and are struck by the clock. Cloudflare Workflows " +
      "is killed once, in the same version of Miniflare; that says nothing of Cloudflare itself.",
  },
  W8: {
    title: "W8: cancel",
    text:
      "A fan-out of 10,000 tasks, each a picture drawn and stored, is cancelled when 200 are done. The " +
      "time of the last effect is read off the disk: the newest file. Cloudflare Workflows has a chain " +
      "of steps that wait 5 ms each, since it lets a `terminate()` in only while a step waits. No bare object " +
      "is beside it: how soon the platform lets a cancel in is not bounded from below here.",
  },
  W9: {
    title: "W9: a run again, of which 1 % failed",
    text:
      "A run of 10,000 tasks, each an EAN-13 code drawn and read back, of which each hundredth fails because " +
      "its number has too few digits; then the same run with an input mended. The service has no reruns that " +
      "take over what is done: a caller submits all of it again, and all of it is run again and charged " +
      "again. The second run draws 10,000 codes where 100 would do, 9,900 of them for the second time. " +
      "What both runs drew, failed and put out is checked by their traces and outputs. It has no peer: " +
      "beside it are only its own first run and the fewest codes that would do.",
  },
  W10: {
    title: "W10: bytes for each item",
    text:
      "Bytes of the pages in use in the SQLite file of the object that ran a fan-out, divided by its " +
      "items. Of each item two nodes have run here, and each has a row that can be read, traced and " +
      "charged; the bare object has one row of two numbers.",
  },
  sustained: {
    title: "Sustained",
    text:
      "Runs to their end for 30 s on end, by 48 clients that each run one-step runs, and 8 that each " +
      "run runs of 100 steps; the bare object for 5 s. What was begun is finished and counted. The " +
      "tasks of one run of 10,000 items; and the start of the service on a folder that it has used before. " +
      "A rate is of one window and of one run of tasks: it has no spread. Cloudflare Workflows is not " +
      "beside them; W3 has its rate.",
  },
  peers: {
    title: "Beside other engines",
    text:
      "Restate (server BSL 1.1, SDK MIT), DBOS (MIT) on PostgreSQL (PostgreSQL licence) and BullMQ (MIT) " +
      "on Redis 7.0 (BSD), with the durability they come with, BullMQ's Redis with its log synced each " +
      "second, which is weaker than the others'. Each step counts itself and answers a number or a line, " +
      "and nothing else. Their driver answers the POST before the engine has the run; ours answers when " +
      "it is durable. A fan-out that takes over 45 s is given up.",
  },
};
