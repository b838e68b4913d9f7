/**
 * docs/contract/models.md#money: what a provider reports as used, through each adapter that reads it. A report that cannot be one is
 * passed over, and what is counted here is charged; a report beyond the reservation is charged as the reservation. No report makes
 * a charge negative, and none fails a call that has succeeded.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { ProviderKind } from "../../../src/contracts/models/provider.ts";
import { ElevenLabsServer } from "../../support/providers/elevenlabs-server.ts";
import { streamOf, type Work, worldOf, WORKS } from "../../support/providers/matrix-subjects.ts";
import {
  FAKED_TIMERS,
  ModelTask,
  type ModelTaskWorld,
  START_MS,
  TaskClock,
} from "../../support/providers/model-task.ts";
import { answerTranscript } from "../../support/providers/openai-audio.ts";
import { answerChat, sendJson } from "../../support/providers/openai-chat.ts";
import { ScriptedServer } from "../../support/providers/scripted-server.ts";

const clock = new TaskClock(vi);
const openai = new ScriptedServer((_request, response) => {
  response.end();
});
const eleven = new ElevenLabsServer();

beforeAll(async () => {
  await Promise.all([openai.start(), eleven.server.start()]);
});
afterAll(() => {
  openai.stop();
  eleven.server.stop();
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: [...FAKED_TIMERS], now: START_MS });
});
afterEach(async () => {
  await clock.settled();
  vi.useRealTimers();
});

/** A report as the wire has it. */
type Reported = number | string | null;
type World = Pick<ModelTaskWorld, "connection" | "operatorHosts" | "ai">;

const whole = (work: Work): Work => ({ ...work, params: { ...work.params, stream: false } });

interface Adapter {
  readonly work: Work;
  /** Its answers report so much. */
  readonly world: (used: Reported) => World;
  /** What is charged where nothing usable is reported. */
  readonly counted: number;
  /** The largest report that it can read: one of more digits is not usable. */
  readonly readable?: number;
}

const overHttp = (server: ScriptedServer, path: string): World => ({
  connection: { baseUrl: `http://${server.host}${path}`, apiKey: "key", headers: {} },
  operatorHosts: server.host,
});
const withAnswer = (answer: ScriptedServer["answer"]): World => {
  openai.answer = answer;
  return overHttp(openai, "/v1");
};
const withAi = (answer: () => unknown): World => ({
  connection: null,
  ai: { run: () => Promise.resolve(answer()) } as ModelTaskWorld["ai"] & object,
});
const tokens = (used: Reported) => ({ prompt_tokens: used, completion_tokens: used }) as never;

/** ⌈bytes / 3⌉ of the prompt at 20, and of the answer at 60, for 1,000. */
const COUNTED_TEXT = 1;

const ADAPTERS: Readonly<Record<string, Adapter>> = {
  "a text of an OpenAI-compatible server, in pieces": {
    work: WORKS.text,
    world: (used) => withAnswer(answerChat({ pieces: ["A ", "kite."], usage: tokens(used) })),
    counted: COUNTED_TEXT,
  },
  "a text of an OpenAI-compatible server, whole": {
    work: whole(WORKS.text),
    world: (used) => withAnswer(answerChat({ pieces: ["A kite."], usage: tokens(used) })),
    counted: COUNTED_TEXT,
  },
  "a transcript of an OpenAI-compatible server": {
    work: WORKS.transcript,
    world: (used) =>
      withAnswer(answerTranscript({ text: "A kite.", duration: used as never, segments: [] })),
    counted: WORKS.transcript.price,
  },
  "a text of Workers AI, in pieces": {
    work: WORKS.text,
    world: (used) =>
      withAi(() =>
        streamOf(
          Buffer.from(
            `data: {"response":"A kite."}\n\ndata: ${JSON.stringify({ response: "", usage: tokens(used) })}\n\ndata: [DONE]\n\n`,
          ),
        ),
      ),
    counted: COUNTED_TEXT,
  },
  "a text of Workers AI, whole": {
    work: whole(WORKS.text),
    world: (used) => withAi(() => ({ response: "A kite.", usage: tokens(used) })),
    counted: COUNTED_TEXT,
  },
  "a transcript of Workers AI": {
    work: WORKS.transcript,
    world: (used) =>
      withAi(() => ({ text: "A kite.", segments: [], transcription_info: { duration: used } })),
    counted: WORKS.transcript.price,
  },
  "a voice of ElevenLabs": {
    work: WORKS.speech,
    world: (used) => {
      eleven.headers = () => ({ "x-character-count": String(used) });
      return overHttp(eleven.server, "");
    },
    counted: WORKS.speech.price,
    readable: 999_999_999,
  },
};

async function endOf({ work, world }: Adapter, used: Reported, price = 1) {
  const { model } = work;
  const dearer = (cost: number | null) => (cost === null ? null : cost * price);
  const given = world(used);
  const task = new ModelTask({
    ...worldOf(kindOf(given), work, clock),
    ...given,
    model: {
      ...model,
      credit_cost_milli_credits: model.credit_cost_milli_credits * price,
      input_milli_credits_per_1k: dearer(model.input_milli_credits_per_1k),
      output_milli_credits_per_1k: dearer(model.output_milli_credits_per_1k),
    },
    mayExceed: true,
  });
  const { code, attempts, milliCredits, reserved } = await task.toEnd();
  return { code, attempts, milliCredits, reserved };
}

function kindOf({ ai, operatorHosts }: World): ProviderKind {
  if (ai !== undefined) {
    return "workers_ai";
  }
  return operatorHosts === eleven.server.host ? "elevenlabs" : "openai_compatible";
}

describe.each(Object.entries(ADAPTERS))("the usage of %s", (_name, adapter) => {
  test("that is negative, no number or missing is what is counted here", async () => {
    for (const used of [-1, -1e12, "-1", "many", null]) {
      // oxlint-disable-next-line no-await-in-loop -- one server
      expect(await endOf(adapter, used), String(used)).toMatchObject({
        code: null,
        attempts: 1,
        milliCredits: adapter.counted,
      });
    }
  });

  test("of 10^12, and of any greater number, is charged as the reservation at most", async () => {
    for (const used of [1e12, Number.MAX_SAFE_INTEGER, 1e300]) {
      // The highest price of an operator: 10,000,000 milli-credits.
      for (const price of [1, 10_000]) {
        // oxlint-disable-next-line no-await-in-loop -- one server
        const { code, attempts, milliCredits, reserved } = await endOf(adapter, used, price);
        expect([code, attempts, reserved > 0], String(used)).toEqual([null, 1, true]);
        const isRead = used <= (adapter.readable ?? Number.MAX_VALUE);
        const isCount = Number.isSafeInteger(used) || adapter.work.call !== "text";
        const wanted = isRead && isCount ? reserved : undefined;
        expect(milliCredits, `${used} at ${price}`).toBeLessThanOrEqual(reserved);
        expect(milliCredits, `${used} at ${price}`).toBe(
          wanted ?? (await endOf(adapter, null, price)).milliCredits,
        );
      }
    }
  });

  test("that can be one is what is charged", async () => {
    const { work } = adapter;
    const { milliCredits } = await endOf(adapter, 500);
    // Of as many tokens in as out, of seconds and of characters.
    expect(milliCredits).toBe({ text: 40, transcript: 5_000, speech: 500 }[work.call]);
  });
});

test("a server that reports nothing is charged for what is counted", async () => {
  const world = withAnswer((_request, response) => {
    sendJson(response, 200, {
      choices: [{ message: { role: "assistant", content: "A kite." }, finish_reason: "stop" }],
    });
  });
  const adapter = { work: whole(WORKS.text), world: () => world, counted: COUNTED_TEXT };
  expect(await endOf(adapter, null)).toMatchObject({ code: null, milliCredits: COUNTED_TEXT });
});
