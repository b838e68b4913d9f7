import { WorkerEntrypoint } from "cloudflare:workers";
import type { RendererApi } from "../../contracts/templates/renderer.ts";

/**
 * Placeholder for the renderer in the very first deployment: the API Worker is bound to the renderer, the renderer is
 * bound to the API Worker's objects, and Cloudflare accepts bindings only to what exists (docs/deploy.md).
 */
export class Renderer extends WorkerEntrypoint implements RendererApi {
  describe(): Promise<never> {
    return this.render();
  }

  inspect(): Promise<never> {
    return this.render();
  }

  importSvg(): Promise<never> {
    return this.render();
  }

  readSvgPalette(): Promise<never> {
    return this.render();
  }

  render(): Promise<never> {
    return Promise.reject(new Error("The renderer is not deployed yet. See docs/deploy.md."));
  }
}

export default {
  fetch: () => new Response("The renderer is not deployed yet.\n", { status: 404 }),
} satisfies ExportedHandler;
