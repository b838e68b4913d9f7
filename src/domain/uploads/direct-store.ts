import type { Env } from "../../platform/env.ts";
import type { S3Account } from "../../storage/s3/presign-url.ts";

export interface DirectStore {
  readonly account: S3Account;
  readonly bucket: string;
}

/**
 * The store's own S3 interface if the operator has configured a key for it; undefined otherwise.
 */
export function directStore(env: Env): DirectStore | undefined {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = env;
  const isGiven = [S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY].every(
    (value) => value !== undefined && value !== "",
  );
  return isGiven
    ? {
        account: {
          endpoint: (S3_ENDPOINT ?? "").replace(/\/$/, ""),
          accessKeyId: S3_ACCESS_KEY_ID ?? "",
          secretAccessKey: S3_SECRET_ACCESS_KEY ?? "",
          region: "auto",
        },
        bucket: S3_BUCKET ?? "",
      }
    : undefined;
}
