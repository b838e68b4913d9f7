-- The directory, which is in DB alone; the same tables of other shards stay empty (docs/decisions/shards.md).
CREATE TABLE organization_homes (
  organization_id TEXT PRIMARY KEY,
  shard INTEGER NOT NULL CHECK (shard BETWEEN 0 AND 63)
) STRICT, WITHOUT ROWID;

CREATE TABLE key_organizations (
  key_id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A shard without a row is open and has no organization.
CREATE TABLE shards (
  shard INTEGER PRIMARY KEY,
  -- A closed shard gets no new organizations.
  is_open INTEGER NOT NULL DEFAULT 1 CHECK (is_open IN (0, 1)),
  organizations INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TRIGGER organization_homes_added AFTER INSERT ON organization_homes BEGIN
  INSERT INTO shards (shard, organizations) VALUES (NEW.shard, 1)
  ON CONFLICT (shard) DO UPDATE SET organizations = organizations + 1;
END;
CREATE TRIGGER organization_homes_moved AFTER UPDATE OF shard ON organization_homes BEGIN
  UPDATE shards SET organizations = organizations - 1 WHERE shard = OLD.shard;
  INSERT INTO shards (shard, organizations) VALUES (NEW.shard, 1)
  ON CONFLICT (shard) DO UPDATE SET organizations = organizations + 1;
END;

-- Every organization of an existing deployment is at home on shard 0.
INSERT INTO organization_homes (organization_id, shard) SELECT id, 0 FROM organizations;
INSERT INTO key_organizations (key_id, organization_id) SELECT id, organization_id FROM api_keys;
