import type {
  PublishedVersion,
  TemplateRecord,
} from "../../src/contracts/templates/template-object-api.ts";
import type { Env } from "../../src/platform/env.ts";
import { TemplateRows } from "../../src/storage/d1/template-rows.ts";
import { deleteTemplateFiles } from "../../src/storage/r2/template-files.ts";

/** The calls of a design template's object to other services. */
export class TemplateEffects {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  /** Writes the state that lists show. Safe to repeat, and to do late. */
  list(
    record: TemplateRecord,
    state: {
      readonly objectRevision: number;
      readonly deletedAtMs: number;
      readonly versions: readonly PublishedVersion[];
    },
  ): Promise<void> {
    return new TemplateRows(this.#env, record.workspace_id).update(record, state);
  }

  /** Deletes the files of a revision that was not committed. Safe to repeat. */
  deleteFiles(folder: string): Promise<void> {
    return deleteTemplateFiles(this.#env.FILES, folder);
  }

  /** Whether the creation was completed: the template has a row. */
  async isCreated({ id, workspace_id }: TemplateRecord): Promise<boolean> {
    return await new TemplateRows(this.#env, workspace_id).exists(id);
  }
}
