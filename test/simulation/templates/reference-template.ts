/** What a design template is by the contract (docs/contract/templates.md#edits, #revisions), without storage. */

/** A request, as the caller means it. */
export type Write =
  | {
      readonly kind: "edit" | "publish";
      readonly key: string;
      readonly ifMatch: string | null;
      readonly content: number;
    }
  | { readonly kind: "patch"; readonly name: string }
  | { readonly kind: "archive" | "revert" };

export class ReferenceTemplate {
  status: "draft" | "published" | "archived" = "draft";
  name = "First";
  /** Numbers stand for documents. */
  content = 0;
  revision = 1;
  readonly versions: number[] = [];
  /** Responses by key, with the request. */
  readonly #answers = new Map<string, { readonly request: string; readonly answer: string }>();
  readonly #hashOf: (content: number) => string;

  constructor(hashOf: (content: number) => string) {
    this.#hashOf = hashOf;
  }

  get etag(): string {
    return `dd-draft-r${String(this.revision)}-${this.#hashOf(this.content).slice(0, 16)}`;
  }

  /** Applies a request and returns the response, as the world describes responses. */
  apply(write: Write): string {
    switch (write.kind) {
      case "patch":
        if (this.status === "archived") {
          return "archived";
        }
        this.name = write.name;
        return "ok";
      case "archive":
        this.status = "archived";
        return "ok";
      case "revert":
        if (this.status !== "published") {
          return this.status === "archived" ? "archived" : "invalid_state";
        }
        this.status = "draft";
        return "ok";
      case "edit":
      case "publish":
        return this.#write(write);
    }
  }

  #write({ kind, key, ifMatch, content }: Extract<Write, { key: string }>): string {
    const request = `${kind} ${String(content)}`;
    const known = this.#answers.get(key);
    if (known !== undefined) {
      return known.request === request ? known.answer : "idempotency_conflict";
    }
    if (this.status === "archived") {
      return "archived";
    }
    if (ifMatch === null) {
      return "precondition_required";
    }
    if (ifMatch !== "*" && ifMatch !== `"${this.etag}"`) {
      return `precondition_failed "${this.etag}"`;
    }
    const answer = kind === "edit" ? this.#edit(content) : this.#publish();
    this.#answers.set(key, { request, answer });
    return answer;
  }

  #edit(content: number): string {
    if (content !== this.content) {
      this.content = content;
      this.revision += 1;
    }
    return `200 ${this.etag}`;
  }

  #publish(): string {
    this.status = "published";
    if (this.versions.at(-1) === this.content) {
      return `200 ${this.etag} v${String(this.versions.length)}`;
    }
    this.versions.push(this.content);
    return `201 ${this.etag} v${String(this.versions.length)}`;
  }
}
