/** R2 as one attempt of a task has it: what it stores is noted, and once it is over nothing of it stays. */
export class AttemptFiles implements R2Bucket {
  readonly #bucket: R2Bucket;
  #hasStored = false;
  #isOver = false;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  /** Whether the attempt has begun to store anything. */
  get hasStored(): boolean {
    return this.#hasStored;
  }

  /** The attempt has come to nothing: what it is still storing is removed as soon as it is stored. */
  end(): void {
    this.#isOver = true;
  }

  put(...given: Parameters<R2Bucket["put"]>): Promise<never> {
    this.#hasStored = true;
    // Which overload it is, its arguments say.
    return this.#made(given[0], this.#bucket.put(...given)) as Promise<never>;
  }

  async createMultipartUpload(
    ...given: Parameters<R2Bucket["createMultipartUpload"]>
  ): Promise<R2MultipartUpload> {
    this.#hasStored = true;
    const upload = await this.#bucket.createMultipartUpload(...given);
    return {
      key: upload.key,
      uploadId: upload.uploadId,
      uploadPart: upload.uploadPart.bind(upload),
      abort: upload.abort.bind(upload),
      complete: (parts) => this.#made(upload.key, upload.complete(parts)),
    };
  }

  resumeMultipartUpload(...given: Parameters<R2Bucket["resumeMultipartUpload"]>) {
    return this.#bucket.resumeMultipartUpload(...given);
  }

  head(key: string) {
    return this.#bucket.head(key);
  }

  get(...given: Parameters<R2Bucket["get"]>): Promise<never> {
    return this.#bucket.get(...given) as Promise<never>;
  }

  list(options?: R2ListOptions) {
    return this.#bucket.list(options);
  }

  delete(keys: string | string[]) {
    return this.#bucket.delete(keys);
  }

  async #made<T>(key: string, storing: Promise<T>): Promise<T> {
    const stored = await storing;
    if (this.#isOver) {
      // The removal of files of failed attempts may be over already.
      await this.#bucket.delete(key);
    }
    return stored;
  }
}
