import { ExecutorObject as Executor } from "../../../durable-objects/executor/executor-object.ts";
import type { ExecutorParts } from "../../../durable-objects/executor/executor-parts.ts";
import { storedPath } from "../../domain/files/stored-path.ts";
import { MEDIA_NODES } from "../../nodes/media-nodes.ts";
import { isMediaEnvUsable } from "../../platform/check-env.ts";
import { createNodeContext } from "../shared/node-context.ts";
import { createAudioTools } from "./audio-tools.ts";
import { createVideoTools } from "./video-tools.ts";

const parts: ExecutorParts = {
  worker: "media",
  findNode: (type) => MEDIA_NODES.find((node) => node.type === type),
  isEnvUsable: isMediaEnvUsable,
  ...createNodeContext({
    audio: (env, scope, files) =>
      createAudioTools(scope, files(), (file) => storedPath(env, scope.workspaceId, file)),
    video: (_env, scope, files) => createVideoTools(scope, files()),
  }),
};

export { SoundDecoder } from "./sound-decoder.ts";

export class ExecutorObject extends Executor {
  protected override readonly parts = parts;
}

export default {
  fetch: () => new Response("The media Worker has no public routes.\n", { status: 404 }),
} satisfies ExportedHandler;
