/** The manifest of a build; where there is none yet, type checks need this declaration. */
declare module "*/dist/assets/embed/manifest.json" {
  const manifest: import("../../contracts/embeds/web-manifest.ts").WebManifest;
  export default manifest;
}
