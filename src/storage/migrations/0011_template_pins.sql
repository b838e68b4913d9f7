-- Identity and hashes of the template revisions that a definition names (docs/contract/templates.md#pins), as JSON:
-- those of the working definition when it was saved, and those of a version when it was published. NULL for definitions
-- without template nodes, and for those that were saved before.
ALTER TABLE workflows ADD COLUMN template_pins TEXT;
ALTER TABLE workflow_versions ADD COLUMN template_pins TEXT;
