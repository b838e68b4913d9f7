/** Sources of the system families' files: packages pinned in package.json, each with its license. */
export interface SystemFontSource {
  /** Folder of the family in the assets. Its ids derive from the name, so it must never change. */
  readonly slug: string;
  readonly displayName: string;
  readonly category: "sans-serif" | "serif" | "monospace" | "display" | "handwriting";
  /** SPDX. */
  readonly license: string;
  /** Path below node_modules. */
  readonly licenseFile: string;
  /** Paths below node_modules, by variant. */
  readonly files: Readonly<Record<string, string>>;
}

const GOOGLE = "@expo-google-fonts";

export const SYSTEM_FONT_SOURCES: readonly SystemFontSource[] = [
  {
    slug: "noto-sans",
    displayName: "Noto Sans",
    category: "sans-serif",
    license: "OFL-1.1",
    licenseFile: `${GOOGLE}/noto-sans/LICENSE_FONT`,
    files: {
      "400": `${GOOGLE}/noto-sans/400Regular/NotoSans_400Regular.ttf`,
      "400-italic": `${GOOGLE}/noto-sans/400Regular_Italic/NotoSans_400Regular_Italic.ttf`,
      "700": `${GOOGLE}/noto-sans/700Bold/NotoSans_700Bold.ttf`,
      "700-italic": `${GOOGLE}/noto-sans/700Bold_Italic/NotoSans_700Bold_Italic.ttf`,
    },
  },
  {
    slug: "noto-serif",
    displayName: "Noto Serif",
    category: "serif",
    license: "OFL-1.1",
    licenseFile: `${GOOGLE}/noto-serif/LICENSE_FONT`,
    files: {
      "400": `${GOOGLE}/noto-serif/400Regular/NotoSerif_400Regular.ttf`,
      "400-italic": `${GOOGLE}/noto-serif/400Regular_Italic/NotoSerif_400Regular_Italic.ttf`,
      "700": `${GOOGLE}/noto-serif/700Bold/NotoSerif_700Bold.ttf`,
      "700-italic": `${GOOGLE}/noto-serif/700Bold_Italic/NotoSerif_700Bold_Italic.ttf`,
    },
  },
  {
    slug: "source-code-pro",
    displayName: "Source Code Pro",
    category: "monospace",
    license: "OFL-1.1",
    licenseFile: "source-code-pro/LICENSE.md",
    files: {
      "400": "source-code-pro/OTF/SourceCodePro-Regular.otf",
      "400-italic": "source-code-pro/OTF/SourceCodePro-It.otf",
      "700": "source-code-pro/OTF/SourceCodePro-Bold.otf",
      "700-italic": "source-code-pro/OTF/SourceCodePro-BoldIt.otf",
    },
  },
  {
    slug: "oswald",
    displayName: "Oswald",
    category: "display",
    license: "OFL-1.1",
    licenseFile: `${GOOGLE}/oswald/LICENSE_FONT`,
    files: {
      "400": `${GOOGLE}/oswald/400Regular/Oswald_400Regular.ttf`,
      "700": `${GOOGLE}/oswald/700Bold/Oswald_700Bold.ttf`,
    },
  },
  {
    slug: "caveat",
    displayName: "Caveat",
    category: "handwriting",
    license: "OFL-1.1",
    licenseFile: `${GOOGLE}/caveat/LICENSE_FONT`,
    files: {
      "400": `${GOOGLE}/caveat/400Regular/Caveat_400Regular.ttf`,
      "700": `${GOOGLE}/caveat/700Bold/Caveat_700Bold.ttf`,
    },
  },
  {
    slug: "noto-sans-arabic",
    displayName: "Noto Sans Arabic",
    category: "sans-serif",
    license: "OFL-1.1",
    licenseFile: `${GOOGLE}/noto-sans-arabic/LICENSE_FONT`,
    files: {
      "400": `${GOOGLE}/noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf`,
      "700": `${GOOGLE}/noto-sans-arabic/700Bold/NotoSansArabic_700Bold.ttf`,
    },
  },
  {
    slug: "noto-sans-hebrew",
    displayName: "Noto Sans Hebrew",
    category: "sans-serif",
    license: "OFL-1.1",
    licenseFile: `${GOOGLE}/noto-sans-hebrew/LICENSE_FONT`,
    files: {
      "400": `${GOOGLE}/noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf`,
      "700": `${GOOGLE}/noto-sans-hebrew/700Bold/NotoSansHebrew_700Bold.ttf`,
    },
  },
  {
    slug: "noto-sans-thai",
    displayName: "Noto Sans Thai",
    category: "sans-serif",
    license: "OFL-1.1",
    licenseFile: `${GOOGLE}/noto-sans-thai/LICENSE_FONT`,
    files: {
      "400": `${GOOGLE}/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf`,
      "700": `${GOOGLE}/noto-sans-thai/700Bold/NotoSansThai_700Bold.ttf`,
    },
  },
];

/** Returns the path in the assets: the folder of the family, the variant, the extension of the source. */
export function systemFontAsset(slug: string, name: string, source: string): string {
  return `fonts/${slug}/${name}${source.slice(source.lastIndexOf("."))}`;
}
