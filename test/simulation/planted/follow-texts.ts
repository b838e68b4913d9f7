/** [E31] A growing text, over connections that lose and repeat pieces, through attempts, to late readers. */
import {
  LiveTexts,
  type ToldTexts,
  untold,
} from "../../../durable-objects/run/views/live-texts.ts";
import { SeededRandom } from "../seeded-random.ts";

const STEPS = 60;

/**
 * Returns the text that a reader of this seed's world received and no attempt sent; undefined if there is none. Called from the
 * build of `planted-faults.test.ts`.
 * @public
 */
export function followTexts(seed: number): string | undefined {
  const random = new SeededRandom(seed);
  const texts = new LiveTexts();
  let fence = 1;
  let said = "";
  /** By attempt, since a run that has not received text of the newest attempt still shows the previous one. */
  const allSaid = new Map<number, string>();
  /** The length of the text that the executor believes the run has. */
  let sent = 0;
  const readers = Array.from({ length: 3 }, () => ({ told: new Map() as ToldTexts, heard: "" }));
  const emit = () => {
    const piece = { task_id: 1, fence, at: sent, text: said.slice(sent) };
    const { resend } = texts.take([piece], () => ({ node: 0, element: 0 }));
    sent = resend.length > 0 ? 0 : said.length;
  };
  for (let step = 0; step < STEPS; step++) {
    if (random.chance(0.08)) {
      fence++;
      said = "";
      sent = 0;
    }
    said += `${fence}.${step} `;
    allSaid.set(fence, said);
    if (random.chance(0.1)) {
      // Lost on the way: the executor believes that it arrived.
      sent = said.length;
    } else {
      emit();
      if (random.chance(0.15)) {
        sent = Math.max(0, sent - random.int(0, 8));
        emit();
      }
    }
    const reader = random.pick(readers);
    for (const { delta, reset } of untold(texts, reader.told)) {
      reader.heard = reset ? delta : reader.heard + delta;
      if (![...allSaid.values()].some((each) => each.startsWith(reader.heard))) {
        return `heard "${reader.heard}" of "${said}"`;
      }
    }
  }
  return undefined;
}
