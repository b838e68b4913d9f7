import { WorkerEntrypoint } from "cloudflare:workers";
import type { BatchExportsApi } from "../../contracts/batches/batch-export.ts";
import type { FileTypesApi } from "../../contracts/files/file-types.ts";
import type { ResultCacheApi } from "../../contracts/runs/result-cache.ts";
import type { ZipBuildersApi } from "../../contracts/runs/zip-export.ts";
import type { ModelProvidersApi } from "../../contracts/models/model-providers.ts";
import type { OrganizationMovesApi } from "../../contracts/workspaces/organization-move.ts";
import type { ThumbnailsApi } from "../../contracts/media/thumbnails.ts";
import type { FontCheckerApi } from "../../formats/font/font-check.ts";

/**
 * Placeholder for the runner in the very first deployment: the API Worker is bound to the runner, the runner is bound
 * to the API Worker's objects, and Cloudflare accepts bindings only to what exists (docs/deploy.md).
 */
export class FontChecker extends WorkerEntrypoint implements FontCheckerApi {
  check(): Promise<never> {
    return Promise.reject(new Error("The runner is not deployed yet. See docs/deploy.md."));
  }
}

export class FileTypes extends WorkerEntrypoint implements FileTypesApi {
  detect(): Promise<never> {
    return Promise.reject(new Error("The runner is not deployed yet. See docs/deploy.md."));
  }
}

export class ZipBuilders extends WorkerEntrypoint implements ZipBuildersApi {
  wake(): Promise<never> {
    return Promise.reject(new Error("The runner is not deployed yet. See docs/deploy.md."));
  }
}

export class ResultCache extends WorkerEntrypoint implements ResultCacheApi {
  lookUp(): Promise<never> {
    return Promise.reject(new Error("The runner is not deployed yet. See docs/deploy.md."));
  }

  find(): Promise<never> {
    return this.lookUp();
  }

  write(): Promise<never> {
    return this.lookUp();
  }

  drop(): Promise<never> {
    return this.lookUp();
  }

  clear(): Promise<never> {
    return this.lookUp();
  }

  figures(): Promise<never> {
    return this.lookUp();
  }

  release(): Promise<never> {
    return this.lookUp();
  }
}

export class OrganizationMoves extends WorkerEntrypoint implements OrganizationMovesApi {
  start(): Promise<never> {
    return Promise.reject(new Error("The runner is not deployed yet. See docs/deploy.md."));
  }

  read(): Promise<never> {
    return this.start();
  }
}

export class BatchExports extends WorkerEntrypoint implements BatchExportsApi {
  request(): Promise<never> {
    return Promise.reject(new Error("The runner is not deployed yet. See docs/deploy.md."));
  }

  status(): Promise<never> {
    return this.request();
  }

  fileKey(): Promise<never> {
    return this.request();
  }
}

export class Thumbnails extends WorkerEntrypoint implements ThumbnailsApi {
  make(): Promise<never> {
    return Promise.reject(new Error("The runner is not deployed yet. See docs/deploy.md."));
  }
}

export class ModelProviders extends WorkerEntrypoint implements ModelProvidersApi {
  voices(): Promise<never> {
    return Promise.reject(new Error("The runner is not deployed yet. See docs/deploy.md."));
  }

  check(): Promise<never> {
    return Promise.reject(new Error("The runner is not deployed yet. See docs/deploy.md."));
  }
}

export default {
  fetch: () => new Response("The runner is not deployed yet.\n", { status: 404 }),
} satisfies ExportedHandler;
