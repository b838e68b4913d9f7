-- The plan of local development allows as many calls of an embed token as a test sends; other plans have the default.
UPDATE plans SET limits = json_insert(limits, '$.embed_requests_per_minute', 10000) WHERE code = 'dev';
