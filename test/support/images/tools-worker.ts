/** The runner's image and code tools behind HTTP, to test them inside workerd. */
import { createCodeTools } from "../../../src/workers/runner/code-tools.ts";
import { createImageTools } from "../../../src/workers/runner/image-tools.ts";
import type { CodeSpec } from "../../../src/contracts/code-symbol.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";

const codes = createCodeTools();
const images = createImageTools();

interface DrawRequest {
  readonly spec: Omit<CodeSpec, "logo">;
  readonly logo?: { readonly base64: string; readonly contentType: string };
  /** Number of repetitions; the response is that of the last one. */
  readonly times?: number;
}

async function draw({ spec, logo, times = 1 }: DrawRequest): Promise<Response> {
  const whole: CodeSpec =
    logo === undefined
      ? spec
      : {
          ...spec,
          logo: {
            bytes: Uint8Array.from(atob(logo.base64), (character) => character.charCodeAt(0)),
            contentType: logo.contentType,
          },
        };
  let response: Record<string, unknown> = {};
  for (let i = 0; i < times; i++) {
    const drawn = await codes.draw(whole);
    const png = await images.encodePng(drawn.rgba, drawn.width, drawn.height);
    const back = await images.decode(png);
    const found = await codes.decode(back.rgba, back.width, back.height);
    const fromSvg = times > 1 ? null : await images.drawSvg(drawn.svg, drawn.width).catch(reasonOf);
    response = {
      text: drawn.text,
      found,
      pngBytes: png.length,
      fromSvg:
        fromSvg === null || "reason" in fromSvg
          ? fromSvg
          : await codes.decode(fromSvg.rgba, fromSvg.width, fromSvg.height),
    };
  }
  return Response.json(response);
}

function reasonOf(error: unknown): { reason: string } {
  if (error instanceof NodeError) {
    return { reason: error.message };
  }
  throw error;
}

export default {
  async fetch(request: Request): Promise<Response> {
    try {
      if (new URL(request.url).pathname === "/svg") {
        const { rgba, width, height } = await images.drawSvg(await request.text(), 2_048);
        const png = await images.encodePng(rgba, width, height);
        return Response.json({ width, height, pngBytes: png.length });
      }
      return await draw(await request.json());
    } catch (error) {
      if (error instanceof NodeError) {
        return Response.json({ code: error.code, message: error.message }, { status: 422 });
      }
      throw error;
    }
  },
};
