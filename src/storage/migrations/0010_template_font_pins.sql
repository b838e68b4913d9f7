-- The revisions of font families that a published revision prints with: a JSON list (`FontPin` in contracts/renderer.ts).
-- Empty for revisions that were published before: those print with the families as they stand.
ALTER TABLE design_template_versions ADD COLUMN font_pins TEXT NOT NULL DEFAULT '[]';
