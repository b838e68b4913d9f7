-- A node that names a file of a run (`storage://` and its path) knows an asset by its key.
CREATE INDEX assets_by_key ON assets (key) WHERE state = 'ready';
