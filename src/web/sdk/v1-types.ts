// The types of the SDK; `scripts/build-web.ts` serves this file as v1.d.ts and v1.d.mts.
export declare const version: string;
