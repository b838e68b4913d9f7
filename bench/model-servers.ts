/** The scripted servers of providers that calls of models are measured against, on this machine; they answer at once. */
import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { FalServer } from "../test/support/providers/fal-server.ts";
import { answerChat } from "../test/support/providers/openai-chat.ts";
import { answerPictures } from "../test/support/providers/openai-images.ts";
import { ReplicateServer } from "../test/support/providers/replicate-server.ts";
import { type Answer, ScriptedServer } from "../test/support/providers/scripted-server.ts";

/** Pieces of an answer, each in an event of its own when it is streamed. */
const PIECES = Array.from({ length: 200 }, (_, at) => ` word${at % 10}`);

export interface ModelServers {
  readonly openai: ScriptedServer;
  readonly replicate: ReplicateServer;
  readonly fal: FalServer;
  /** Forgets what was received. */
  forget(): void;
  stop(): void;
}

/** `picture` is what every model of pictures makes, after `polls` polls where it works in jobs. */
export async function startModelServers(picture: Uint8Array, polls: number): Promise<ModelServers> {
  const chat = answerChat({
    pieces: PIECES,
    usage: { prompt_tokens: 20, completion_tokens: PIECES.length },
  });
  const pictures = answerPictures({ pictures: [picture] });
  const answer: Answer = (request, response) =>
    request.path.endsWith("/chat/completions")
      ? chat(request, response)
      : pictures(request, response);
  const openai = new ScriptedServer(answer);
  const replicate = new ReplicateServer();
  replicate.file = picture;
  const fal = new FalServer();
  fal.files = { png: picture };
  const servers = [openai, replicate.server, fal.server];
  await Promise.all(servers.map((server) => server.start()));
  replicate.polls = polls;
  fal.polls = polls;
  return {
    openai,
    replicate,
    fal,
    forget() {
      servers.forEach(({ received }) => {
        received.length = 0;
      });
      replicate.predictions.length = 0;
      fal.requests.length = 0;
    },
    stop() {
      servers.forEach((server) => {
        server.stop();
      });
    },
  };
}

/** A PNG of this many pixels a side, which does not compress: three bytes a pixel. */
export async function noisePng(side: number): Promise<Buffer> {
  const raw = { width: side, height: side, channels: 3 } as const;
  return await sharp(randomBytes(side * side * 3), { raw })
    .png()
    .toBuffer();
}
