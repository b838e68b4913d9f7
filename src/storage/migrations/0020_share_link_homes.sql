-- Whether R2 has the workspace of a share link, by the digest of its token (storage/r2/share-link-homes.ts). The links of an
-- older release, or of a deployment with one database, are entered by a sweep.
ALTER TABLE design_template_share_links ADD COLUMN is_entered INTEGER NOT NULL DEFAULT 0;

CREATE INDEX design_template_share_links_not_entered ON design_template_share_links (seq) WHERE is_entered = 0;
