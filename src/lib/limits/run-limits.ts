import type { Limits } from "./limit.ts";

const KB = 1024;
const MB = 1024 * 1024;

/** Runs: a part of the table of limits. */
export const RUN_LIMITS = {
  iterations: {
    name: "Iterations of one node",
    value: 10_000,
    unit: "count",
    reason: "The rows of a run must fit into one object.",
  },
  batch_items: {
    name: "Items of a batch",
    value: 10_000,
    unit: "count",
    reason: "The rows of a batch must fit into one object.",
  },
  batch_body: {
    name: "Body of the creation of a batch",
    value: 16 * MB,
    unit: "bytes",
    reason: "10,000 items of 1.6 KB. Larger values are uploaded as assets.",
  },
  batch_inputs: {
    name: "Inputs of all items of a batch, each with the common ones",
    value: 128 * MB,
    unit: "characters",
    reason: "13,000 characters for each of 10,000 items. One object stores them.",
  },
  batch_problems: {
    name: "Problems reported for the items of a batch",
    value: 100,
    unit: "count",
    reason: "Enough to find what is wrong with the rows.",
  },
  client_reference: {
    name: "`client_reference`",
    value: 255,
    unit: "characters",
    reason: "Room for a key of your own system.",
  },
  retry_indices: {
    name: "`from_indices` of a retry",
    value: 10_000,
    unit: "count",
    reason: "A node has no more elements.",
  },
  cache_max_age: {
    name: "`max_age` of `cache`, in seconds",
    value: 31_536_000,
    unit: "count",
    reason: "A year; entries live as long as outputs.",
  },
  cache_entry: {
    name: "Entry of the result cache",
    value: 64 * MB,
    unit: "bytes",
    reason: "Larger results would push many others out.",
  },
  value: {
    name: "One value",
    value: 16 * MB,
    unit: "bytes",
    reason: "It is held in memory beside others.",
  },
  value_memory: {
    name: "Memory of one value, as estimated from its JSON",
    value: 144 * MB,
    unit: "bytes",
    reason:
      "A value of many small parts takes up to 30 times its text: 64 bytes for each object or array, 24 to 48 for each member. The estimate is about twice what is used.",
  },
  value_inline: {
    name: "Value that is stored in a row and sent inline",
    value: 64 * KB,
    unit: "bytes",
    reason: "Larger values are files.",
  },
  value_resolved: {
    name: "Text or JSON value that a result resolves",
    value: MB,
    unit: "bytes",
    reason: "Larger values are sent as an address.",
  },
  result_values: {
    name: "Values of one result body",
    value: 4 * MB,
    unit: "bytes",
    reason: "Values are sent in the order of keys; the rest are addresses.",
  },
  attempts: {
    name: "Attempts of one task",
    value: 4,
    unit: "count",
    reason: "One, and three retries after transient faults.",
  },
  give_backs: {
    name: "Times that one task may be given back",
    value: 20,
    unit: "count",
    reason:
      "A worker that is being replaced or has no room returns a task without using up an attempt. With its pauses this lasts 7 to 14 minutes, longer than a deploy.",
  },
  growing_text: {
    name: "Text of one element that is shown as it grows",
    value: 262_144,
    unit: "characters",
    reason:
      "Run objects hold it in memory while its task is in progress. Text beyond the limit is in the output only.",
  },
  growing_texts: {
    name: "Text of one run that is shown as it grows, all elements together",
    value: 1_048_576,
    unit: "characters",
    reason: "Many runs share the memory of an isolate.",
  },
  value_depth: {
    name: "Nesting of a value",
    value: 128,
    unit: "count",
    reason: "Code that walks a value calls itself at each level, and the stack is limited.",
  },
  run_seconds: {
    name: "Time limit of a run that a plan may set, in seconds",
    value: 2_592_000,
    unit: "count",
    reason: "Thirty days: until it ends, a run keeps its slot and its reserved credits.",
  },
  read_file: {
    name: "File that a node reads whole",
    value: 32 * MB,
    unit: "bytes",
    reason: "It is held in memory; the largest is a picture of 25 MiB.",
  },
  written_file: {
    name: "Bytes that a node stores at once",
    value: 64 * MB,
    unit: "bytes",
    reason: "Larger files are written as a stream.",
  },
  files_of_attempt: {
    name: "Files that one attempt stores",
    value: 1_000,
    unit: "count",
    reason: "A node that stores more has a fault.",
  },
} as const satisfies Limits;
