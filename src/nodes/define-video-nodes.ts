/** What the definitions of video nodes share. */
import type { OutputPort } from "./define-ports.ts";

export const VIDEO_COLOR = "#be123c";

export const videoOutput: OutputPort = { name: "video", type: "video", label: "Video" };
