/** One file of a family that ships with the service. */
export interface SystemFontFile {
  /** Stable: derived from the family, the variant and the bytes. */
  readonly fileGuid: string;
  readonly variant: string;
  readonly weight: number;
  readonly style: "normal" | "italic";
  readonly format: "ttf" | "otf";
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Path in the binding ASSETS; read it through `openSystemFontFile`. */
  readonly asset: string;
}

/** A family that ships with the service: scope `system`, one revision, the same for every workspace. */
export interface SystemFamily {
  readonly familyGuid: string;
  readonly versionGuid: string;
  readonly revisionNumber: 1;
  readonly family: string;
  readonly displayName: string;
  readonly category: "sans-serif" | "serif" | "monospace" | "display" | "handwriting";
  /** SPDX id. The license text is stored with the files, at `licenseAsset`. */
  readonly license: string;
  readonly licenseAsset: string;
  /** By weight, upright first. */
  readonly files: readonly SystemFontFile[];
}
