/**
 * Kinds of media. One entry defines a kind: port type, interface field, input and output nodes,
 * stored extensions with content types and signatures, storage category, examples and icon are
 * derived from it. `test/unit/contracts/media-kinds.test.ts` adds a kind and runs it.
 */
export interface MediaFile {
  readonly contentType: string;
  /**
   * The extensions that the signature detector (`file-type`) may return for a file of the kind.
   * Absent for text, and for kinds that `src/formats/sniff-file.ts` detects itself.
   */
  readonly signatures?: readonly string[];
}

interface MediaKindEntry {
  readonly label: string;
  /** With its article, as used in "Must be …". */
  readonly noun: string;
  /**
   * Values with a content type of this prefix arrive at ports as this kind; others as `document`.
   */
  readonly mediaType?: string;
  /** By extension, in lower case without the dot. Examples use the first one. */
  readonly files: Readonly<Record<string, MediaFile>>;
  /** Descriptions of `input/<kind>`. */
  readonly input: { readonly description: string; readonly whenToUse: string };
  /**
   * Descriptions of `output/<kind>`; absent if the kind has a node with more functions
   * (`output/image`).
   */
  readonly output?: { readonly description: string; readonly whenToUse: string };
  /**
   * `name` is the name in the catalog, `path` the icon on the pages (16 px), `shape` the shape of
   * its ports.
   */
  readonly icon: {
    readonly name: string;
    readonly path: string;
    readonly shape: "square" | "page";
  };
}

export const MEDIA_KINDS = {
  image: {
    label: "Image",
    noun: "an image",
    mediaType: "image",
    files: {
      png: { contentType: "image/png", signatures: ["png", "apng"] },
      jpg: { contentType: "image/jpeg", signatures: ["jpg"] },
      jpeg: { contentType: "image/jpeg", signatures: ["jpg"] },
      webp: { contentType: "image/webp", signatures: ["webp"] },
      gif: { contentType: "image/gif", signatures: ["gif"] },
      avif: { contentType: "image/avif", signatures: ["avif"] },
      svg: { contentType: "image/svg+xml" },
    },
    input: {
      description: "A picture that the caller sends: an uploaded file, or a public address.",
      whenToUse: "For pictures that a workflow works on or passes through.",
    },
    icon: {
      name: "image",
      shape: "square",
      path: '<rect x="2" y="2.5" width="12" height="11" rx="1.5"/><circle cx="5.7" cy="6" r="1.1"/><path d="m2.5 12 3.7-3.5 2.3 2 2.3-2.7 3 3.2"/>',
    },
  },
  video: {
    label: "Video",
    noun: "a video",
    mediaType: "video",
    files: {
      mp4: { contentType: "video/mp4", signatures: ["mp4", "m4v"] },
      mov: { contentType: "video/quicktime", signatures: ["mov"] },
      webm: { contentType: "video/webm", signatures: ["webm"] },
    },
    input: {
      description: "A video that the caller sends: an uploaded file, or a public address.",
      whenToUse: "For videos that a workflow works on or passes through.",
    },
    output: {
      description: "Hands a video out as a file of the result.",
      whenToUse: "At the end of a workflow, for each video that the caller should get.",
    },
    icon: {
      name: "video",
      shape: "square",
      path: '<rect x="1.500" y="4" width="9" height="8" rx="1.500"/><path d="m10.500 7 4-2.200v6.400l-4-2.200"/>',
    },
  },
  audio: {
    label: "Audio",
    noun: "an audio file",
    mediaType: "audio",
    files: {
      mp3: { contentType: "audio/mpeg", signatures: ["mp3"] },
      wav: { contentType: "audio/wav", signatures: ["wav"] },
      flac: { contentType: "audio/flac", signatures: ["flac"] },
      ogg: { contentType: "audio/ogg", signatures: ["ogg", "oga", "opus", "spx"] },
      opus: { contentType: "audio/opus", signatures: ["opus"] },
      m4a: { contentType: "audio/mp4", signatures: ["m4a", "m4b", "mp4"] },
      aac: { contentType: "audio/aac", signatures: ["aac"] },
    },
    input: {
      description: "A sound file that the caller sends: an uploaded file, or a public address.",
      whenToUse: "For speech, music and sounds that a workflow works on or passes through.",
    },
    output: {
      description: "Hands a sound file out as a file of the result.",
      whenToUse: "At the end of a workflow, for each sound file that the caller should get.",
    },
    icon: {
      name: "audio",
      shape: "square",
      path: '<path d="M2 6.500v3M5 4v8M8 2.500v11M11 5v6M14 6.800v2.400"/>',
    },
  },
  document: {
    label: "Document",
    noun: "a document",
    files: {
      pdf: { contentType: "application/pdf", signatures: ["pdf"] },
      txt: { contentType: "text/plain; charset=utf-8" },
      srt: { contentType: "application/x-subrip" },
      vtt: { contentType: "text/vtt" },
    },
    input: {
      description: "A document that the caller sends: an uploaded file, or a public address.",
      whenToUse:
        "For PDFs, texts and tables that are handed on as files. For the rows of a table use input/data.",
    },
    output: {
      description: "Hands a document out as a file of the result.",
      whenToUse:
        "At the end of a workflow, for each PDF, text or table that the caller should get.",
    },
    icon: {
      name: "file",
      shape: "page",
      path: '<path d="M9.5 1.8H4.5A1.2 1.2 0 0 0 3.3 3v10a1.2 1.2 0 0 0 1.2 1.2h7a1.2 1.2 0 0 0 1.2-1.2V5L9.5 1.8ZM9.3 2v3.2h3.2M5.7 8.5h4.6M5.7 11h3"/>',
    },
  },
  model3d: {
    label: "3D model",
    noun: "a 3D model",
    mediaType: "model",
    files: {
      glb: { contentType: "model/gltf-binary", signatures: ["glb"] },
      gltf: { contentType: "model/gltf+json" },
      obj: { contentType: "model/obj" },
      stl: { contentType: "model/stl" },
      usdz: { contentType: "model/vnd.usdz+zip" },
    },
    input: {
      description: "A 3D model that the caller sends: an uploaded file, or a public address.",
      whenToUse: "For models that a workflow passes through.",
    },
    output: {
      description: "Hands a 3D model out as a file of the result.",
      whenToUse: "At the end of a workflow, for each model that the caller should get.",
    },
    icon: {
      name: "cube",
      shape: "page",
      path: '<path d="M8 1.800 13.500 5v6L8 14.200 2.500 11V5L8 1.800ZM2.500 5 8 8.200 13.500 5M8 8.200v6"/>',
    },
  },
} as const satisfies Readonly<Record<string, MediaKindEntry>>;

export type MediaKind = keyof typeof MEDIA_KINDS;

export const MEDIA_KIND_NAMES = Object.keys(MEDIA_KINDS) as readonly MediaKind[];

export function isMediaKind(name: string): name is MediaKind {
  return Object.hasOwn(MEDIA_KINDS, name);
}

export function mediaKind(kind: MediaKind): MediaKindEntry {
  return MEDIA_KINDS[kind];
}

/** A file of the kind, as used in examples. */
export function exampleMediaFile(kind: MediaKind): {
  readonly url: string;
  readonly contentType: string;
} {
  const [[extension, { contentType }] = ["bin", { contentType: "application/octet-stream" }]] =
    Object.entries(mediaKind(kind).files);
  return { url: `https://example.com/${kind}.${extension}`, contentType };
}
