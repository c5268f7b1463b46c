PRAGMA foreign_keys = OFF;
CREATE TABLE auth_migrations (
    number INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at INTEGER NOT NULL
  ) STRICT;
CREATE TABLE auth_users (
  id TEXT NOT NULL PRIMARY KEY,
  email TEXT NOT NULL,
  login_email TEXT UNIQUE,
  email_verified INTEGER NOT NULL CHECK (email_verified IN (0, 1)),
  email_proven_at INTEGER,
  password_hash TEXT,
  role TEXT NOT NULL,
  tenant_id TEXT,
  fields TEXT NOT NULL CHECK (json_type(fields) = 'object'),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  disabled_at INTEGER,
  unfinished TEXT CHECK (unfinished IN ('reclaim', 'deletion'))
) STRICT;
CREATE TABLE auth_sessions (
  id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
  refresh_token_hash TEXT NOT NULL,
  previous_token_hash TEXT,
  refresh_salt TEXT NOT NULL,
  generation INTEGER NOT NULL CHECK (generation >= 0),
  rotated_at INTEGER NOT NULL,
  ip_address TEXT,
  user_agent TEXT,
  tenant_id TEXT,
  second_factor_at INTEGER,
  authenticated_at INTEGER NOT NULL,
  authenticated_by TEXT NOT NULL,
  ver INTEGER NOT NULL CHECK (ver >= 0),
  created_at INTEGER NOT NULL,
  last_active_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE TABLE auth_rate_limits (
  key TEXT NOT NULL PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count >= 0),
  resets_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE auth_events (
  id TEXT NOT NULL PRIMARY KEY,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  occurrences INTEGER NOT NULL CHECK (occurrences > 0),
  user_id TEXT,
  tenant_id TEXT,
  session_id TEXT,
  ip_address TEXT,
  user_agent TEXT,
  detail TEXT NOT NULL CHECK (json_type(detail) = 'object')
) STRICT;
CREATE TABLE auth_counters (
  name TEXT NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE auth_email_verifications (
  user_id TEXT NOT NULL PRIMARY KEY REFERENCES auth_users (id) ON DELETE CASCADE,
  token_hash TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  new_email TEXT,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE auth_password_resets (
  user_id TEXT NOT NULL PRIMARY KEY REFERENCES auth_users (id) ON DELETE CASCADE,
  token_hash TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  new_email TEXT,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE auth_one_time_ids (
  hash TEXT NOT NULL PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE auth_mfa (
  user_id TEXT NOT NULL PRIMARY KEY REFERENCES auth_users (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  pending_until INTEGER NOT NULL,
  last_step INTEGER CHECK (last_step >= 0),
  enabled_at INTEGER,
  wrong_codes INTEGER NOT NULL DEFAULT 0,
  CHECK ((last_step IS NULL) = (enabled_at IS NULL))
) STRICT;
CREATE TABLE auth_mfa_backup_codes (
  user_id TEXT NOT NULL REFERENCES auth_mfa (user_id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL,
  PRIMARY KEY (user_id, code_hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE auth_oauth_accounts (
  user_id TEXT NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  email TEXT,
  PRIMARY KEY (provider, provider_id)
) STRICT;
CREATE TABLE auth_entity_tables (
  name TEXT NOT NULL PRIMARY KEY,
  head TEXT NOT NULL,
  state TEXT NOT NULL
) STRICT;
CREATE TABLE auth_entity_declarations (
  digest TEXT NOT NULL PRIMARY KEY,
  parent TEXT,
  declared TEXT NOT NULL,
  content TEXT NOT NULL,
  declared_at INTEGER NOT NULL
) STRICT;
CREATE TABLE auth_own_migrations (
  id TEXT NOT NULL PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE access_role_assignments (
  -- `user:` or `group:`, and the id.
  holder TEXT NOT NULL,
  resource_type TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  role TEXT NOT NULL,
  -- The user who assigned it; null for the app itself.
  granted_by TEXT,
  granted_at INTEGER NOT NULL,
  PRIMARY KEY (holder, resource_type, resource_id, role)
) STRICT, WITHOUT ROWID;
CREATE TABLE access_edges (
  child_type TEXT NOT NULL,
  child_id TEXT NOT NULL,
  parent_type TEXT NOT NULL,
  parent_id TEXT NOT NULL,
  PRIMARY KEY (child_type, child_id, parent_type, parent_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE access_closure (
  descendant_type TEXT NOT NULL,
  descendant_id TEXT NOT NULL,
  ancestor_type TEXT NOT NULL,
  ancestor_id TEXT NOT NULL,
  via_type TEXT NOT NULL,
  via_id TEXT NOT NULL,
  depth INTEGER NOT NULL CHECK (depth >= 1),
  PRIMARY KEY (descendant_type, descendant_id, ancestor_type, ancestor_id, via_type, via_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE access_groups (
  group_id TEXT NOT NULL PRIMARY KEY,
  tenant_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE access_memberships (
  child_type TEXT NOT NULL,
  child_id TEXT NOT NULL,
  parent_type TEXT NOT NULL,
  parent_id TEXT NOT NULL,
  PRIMARY KEY (child_type, child_id, parent_type, parent_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE access_group_closure (
  descendant_type TEXT NOT NULL,
  descendant_id TEXT NOT NULL,
  ancestor_type TEXT NOT NULL,
  ancestor_id TEXT NOT NULL,
  via_type TEXT NOT NULL,
  via_id TEXT NOT NULL,
  depth INTEGER NOT NULL CHECK (depth >= 1),
  PRIMARY KEY (descendant_type, descendant_id, ancestor_type, ancestor_id, via_type, via_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE access_flags (
  tenant_id TEXT,
  name TEXT NOT NULL,
  value INTEGER NOT NULL CHECK (value IN (0, 1))
) STRICT;
CREATE TABLE access_subscriptions (
  tenant_id TEXT NOT NULL,
  plan_group TEXT NOT NULL,
  plan_name TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (tenant_id, plan_group)
) STRICT, WITHOUT ROWID;
CREATE TABLE access_add_ons (
  tenant_id TEXT NOT NULL,
  add_on TEXT NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  PRIMARY KEY (tenant_id, add_on)
) STRICT, WITHOUT ROWID;
CREATE TABLE access_overrides (
  tenant_id TEXT NOT NULL,
  name TEXT NOT NULL,
  max_allowed INTEGER NOT NULL CHECK (max_allowed = -1 OR max_allowed >= 1),
  PRIMARY KEY (tenant_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE access_wallets (
  tenant_id TEXT NOT NULL,
  limit_name TEXT NOT NULL,
  period_start INTEGER NOT NULL,
  consumed INTEGER NOT NULL CHECK (consumed >= 0),
  PRIMARY KEY (tenant_id, limit_name, period_start)
) STRICT, WITHOUT ROWID;
CREATE TABLE access_consumptions (
  tenant_id TEXT NOT NULL,
  receipt_id TEXT NOT NULL,
  idempotency_key TEXT,
  entries TEXT NOT NULL CHECK (json_type(entries) = 'array'),
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, receipt_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE live_changes (
  seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  entity TEXT NOT NULL,
  id TEXT NOT NULL,
  tenant_id TEXT,
  before TEXT,
  after TEXT,
  at INTEGER NOT NULL
) STRICT;
CREATE TABLE live_streams (
  id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  open_until INTEGER NOT NULL
) STRICT;
CREATE TABLE live_subscriptions (
  stream_id TEXT NOT NULL REFERENCES live_streams (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  query TEXT NOT NULL,
  PRIMARY KEY (stream_id, id)
) STRICT;
CREATE TABLE "app_folders" ("id" TEXT NOT NULL PRIMARY KEY, "_version" INTEGER NOT NULL, "name" TEXT, "created_at" INTEGER DEFAULT 1767225600000, "updated_at" INTEGER DEFAULT 1767225600000) STRICT;
CREATE TABLE "app_notes" ("id" TEXT NOT NULL PRIMARY KEY, "_version" INTEGER NOT NULL, "owner_id" TEXT, "folder_id" TEXT REFERENCES "app_folders" ("id") ON DELETE SET NULL, "title" TEXT, "is_done" INTEGER DEFAULT FALSE, "state" TEXT, "count" INTEGER, "ratio" REAL, "price" INTEGER, "due_at" INTEGER, "day" TEXT, "labels" TEXT, "created_at" INTEGER DEFAULT 1767225600000, "updated_at" INTEGER DEFAULT 1767225600000) STRICT;
CREATE TABLE things (id TEXT PRIMARY KEY);
INSERT INTO "auth_migrations" ("number", "name", "checksum", "applied_at") VALUES (1, '0001_initial', 'd51db862c330c4d4f20d726f182492880da2acb4db472b5694fc6d125ad8145b', 1767225600000);
INSERT INTO "auth_users" ("id", "email", "login_email", "email_verified", "email_proven_at", "password_hash", "role", "tenant_id", "fields", "created_at", "updated_at", "disabled_at", "unfinished") VALUES ('1fb9dd6f-de14-4428-9949-86a6e02b9b9d', 'ada@example.com', 'ada@example.com', 0, NULL, '$scrypt$ln=1,r=1,p=1$9dn3WtIw47QJBF2WZox7lg$XTJIyKPDSUHxDXPwVs69Gl0Xf0c6XDXalZTQ5l3nPjg', 'user', NULL, '{}', 1767225600000, 1767225600000, NULL, NULL);
INSERT INTO "auth_users" ("id", "email", "login_email", "email_verified", "email_proven_at", "password_hash", "role", "tenant_id", "fields", "created_at", "updated_at", "disabled_at", "unfinished") VALUES ('b97fdd98-7643-4c84-b3d4-20f73606e331', 'grace@example.com', 'grace@example.com', 0, NULL, '$scrypt$ln=1,r=1,p=1$NBj7UVcM6qT5w6CIyTYkwg$ZMtPOeIh4MaWkrOokEUzfmQF5V50uC2WvQKs8sGh/qo', 'user', NULL, '{}', 1767225600000, 1767225600000, NULL, NULL);
INSERT INTO "auth_sessions" ("id", "user_id", "refresh_token_hash", "previous_token_hash", "refresh_salt", "generation", "rotated_at", "ip_address", "user_agent", "tenant_id", "second_factor_at", "authenticated_at", "authenticated_by", "ver", "created_at", "last_active_at", "expires_at", "revoked_at") VALUES ('74120e8d-ea35-4833-99cf-68680c485701', '1fb9dd6f-de14-4428-9949-86a6e02b9b9d', '74120e8d-ea35-4833-99cf-68680c485701.DjINLqrfjrh3A-16DGS_8QcIOVbkYgQOEWlmo00i9EM', NULL, 'Qr2L1Y5MBhWKFCDabbvCyH4Zwrm7gd137TV-SMlimCk', 0, 1767225600000, NULL, NULL, NULL, NULL, 1767225600000, 'password', 0, 1767225600000, 1767225600000, 1767830400000, NULL);
INSERT INTO "auth_sessions" ("id", "user_id", "refresh_token_hash", "previous_token_hash", "refresh_salt", "generation", "rotated_at", "ip_address", "user_agent", "tenant_id", "second_factor_at", "authenticated_at", "authenticated_by", "ver", "created_at", "last_active_at", "expires_at", "revoked_at") VALUES ('52ff3db7-25c6-4e3a-bd6c-cb39d503b4d6', 'b97fdd98-7643-4c84-b3d4-20f73606e331', '52ff3db7-25c6-4e3a-bd6c-cb39d503b4d6.blX_lNvfv6ejbc0EiEluoNKphoHO-90XMWeHBSvErNI', NULL, 'ej_dsuWn_zce_b-ajvcC1RtQJhwEhc7IVd7Zvaf9p8I', 0, 1767225600000, NULL, NULL, NULL, NULL, 1767225600000, 'password', 0, 1767225600000, 1767225600000, 1767830400000, 1767225600000);
INSERT INTO "auth_rate_limits" ("key", "count", "resets_at") VALUES ('key', 1, 1767225660000);
INSERT INTO "auth_rate_limits" ("key", "count", "resets_at") VALUES ('signup:ada@example.com', 1, 1767229200000);
INSERT INTO "auth_rate_limits" ("key", "count", "resets_at") VALUES ('signup:grace@example.com', 1, 1767229200000);
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('0a965a85-4e69-4dde-bc4c-8ee43ede9eb6', 'user.created', 1767225600000, 1, '1fb9dd6f-de14-4428-9949-86a6e02b9b9d', NULL, '74120e8d-ea35-4833-99cf-68680c485701', NULL, NULL, '{}');
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('cc5697dd-3d1d-4230-8831-6c8ebb7f2447', 'user.created', 1767225600000, 1, 'b97fdd98-7643-4c84-b3d4-20f73606e331', NULL, '52ff3db7-25c6-4e3a-bd6c-cb39d503b4d6', NULL, NULL, '{}');
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('35dc94db-d9ba-4cc9-8b68-5c27dca2964a', 'record.created', 1767225600000, 1, NULL, NULL, NULL, NULL, NULL, '{"entity":"notes","ids":["c0459231-ae2c-454d-aa54-0d08b1a49ff5"],"by":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d"}');
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('f7e28294-4e1e-48c4-b1e7-0475ef3f3b63', 'session.revoked', 1767225600000, 1, 'b97fdd98-7643-4c84-b3d4-20f73606e331', NULL, '52ff3db7-25c6-4e3a-bd6c-cb39d503b4d6', NULL, NULL, '{"reason":"sign_out","sessionIds":["52ff3db7-25c6-4e3a-bd6c-cb39d503b4d6"]}');
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('796f6bd9-b1cc-4f75-83e1-0ad169d599b5', 'resource.attached', 1767225600000, 1, NULL, 'acme', NULL, NULL, NULL, '{"resource":{"type":"project","id":"p"},"parent":{"type":"organization","id":"acme"},"by":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d"}');
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('1ba56412-56e4-4620-8370-baeb77c7b3fb', 'role.assigned', 1767225600000, 1, NULL, 'acme', NULL, NULL, NULL, '{"resource":{"type":"project","id":"p"},"role":"viewer","userId":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d","by":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d"}');
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('fca6b447-50a7-4381-912b-614adc5339c1', 'role.assigned', 1767225600000, 1, NULL, 'acme', NULL, NULL, NULL, '{"groupId":"g","resource":{"type":"project","id":"p"},"role":"editor","by":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d"}');
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('3556e613-9750-4461-a77d-64394f5d0a20', 'group.member_added', 1767225600000, 1, '1fb9dd6f-de14-4428-9949-86a6e02b9b9d', 'acme', NULL, NULL, NULL, '{"groupId":"g","by":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d"}');
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('7b98dbdd-9d62-430f-83f4-1a76c2b5429f', 'group.member_added', 1767225600000, 1, NULL, 'acme', NULL, NULL, NULL, '{"groupId":"all","member":{"groupId":"g"},"by":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d"}');
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('7df76552-8f25-4298-b800-ff0b8b1fec9d', 'flag.set', 1767225600000, 1, NULL, 'acme', NULL, NULL, NULL, '{"name":"beta","value":true,"by":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d"}');
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('737a8476-7d73-40b8-ab8f-0f8e180cef40', 'flag.set', 1767225600000, 1, NULL, NULL, NULL, NULL, NULL, '{"name":"beta","value":false,"by":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d"}');
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('eb9cec8c-5aba-4da6-a7d0-2c705761f4d6', 'plan.assigned', 1767225600000, 1, NULL, 'acme', NULL, NULL, NULL, '{"plan":"pro","group":"base","startedAt":"2026-01-01T00:00:00.000Z","expiresAt":null,"by":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d"}');
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('090bc183-715e-4e49-b01e-3f1680f110e8', 'limits.raised', 1767225600000, 1, NULL, 'acme', NULL, NULL, NULL, '{"overrides":{"seats":5},"by":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d"}');
INSERT INTO "auth_events" ("id", "type", "at", "occurrences", "user_id", "tenant_id", "session_id", "ip_address", "user_agent", "detail") VALUES ('02cad6bd-1f94-4284-994d-219001b1d9bf', 'add_on.attached', 1767225600000, 1, NULL, 'acme', NULL, NULL, NULL, '{"addOn":"more","quantity":2,"by":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d"}');
INSERT INTO "auth_counters" ("name", "value") VALUES ('orders', 7);
INSERT INTO "auth_email_verifications" ("user_id", "token_hash", "email", "new_email", "expires_at") VALUES ('b97fdd98-7643-4c84-b3d4-20f73606e331', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'grace@example.com', 'g@example.com', 1767229200000);
INSERT INTO "auth_password_resets" ("user_id", "token_hash", "email", "new_email", "expires_at") VALUES ('b97fdd98-7643-4c84-b3d4-20f73606e331', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'grace@example.com', NULL, 1767229200000);
INSERT INTO "auth_one_time_ids" ("hash", "expires_at") VALUES ('ccccccccccccccccccccccccccccccccccccccccccc', 1767229200000);
INSERT INTO "auth_mfa" ("user_id", "secret", "pending_until", "last_step", "enabled_at", "wrong_codes") VALUES ('b97fdd98-7643-4c84-b3d4-20f73606e331', 'secret', 1767229200000, 1000, 1767225600000, 0);
INSERT INTO "auth_mfa_backup_codes" ("user_id", "code_hash") VALUES ('b97fdd98-7643-4c84-b3d4-20f73606e331', 'ddddddddddddddddddddddddddddddddddddddddddd');
INSERT INTO "auth_oauth_accounts" ("user_id", "provider", "provider_id", "email") VALUES ('b97fdd98-7643-4c84-b3d4-20f73606e331', 'google', '1', 'grace@example.com');
INSERT INTO "auth_entity_tables" ("name", "head", "state") VALUES ('folders', '47a59590eb6be54c59ef81ec53687895dcfef510fece30295a3d54c7863b8d37', '{"name":"folders","table":"app_folders","formerNames":[],"columns":[{"name":"name","column":"name","formerNames":[],"type":"text","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"createdAt","column":"created_at","formerNames":[],"type":"timestamp","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"updatedAt","column":"updated_at","formerNames":[],"type":"timestamp","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false}],"indexes":[]}');
INSERT INTO "auth_entity_tables" ("name", "head", "state") VALUES ('notes', '05392d3feb80cdec83e41054372d71c646bd027dc905853a7b5e76d42d73cc0c', '{"name":"notes","table":"app_notes","formerNames":[],"columns":[{"name":"ownerId","column":"owner_id","formerNames":[],"type":"text","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"folderId","column":"folder_id","formerNames":[],"type":"text","decimal":null,"nullable":true,"references":{"table":"app_folders","onDelete":"setNull"},"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"title","column":"title","formerNames":[],"type":"text","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"isDone","column":"is_done","formerNames":[],"type":"boolean","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"state","column":"state","formerNames":[],"type":"text","decimal":null,"nullable":false,"references":null,"values":["open","held"],"initial":null,"replaces":null,"isDropped":false},{"name":"count","column":"count","formerNames":[],"type":"integer","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"ratio","column":"ratio","formerNames":[],"type":"number","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"price","column":"price","formerNames":[],"type":"decimal","decimal":{"precision":10,"scale":2},"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"dueAt","column":"due_at","formerNames":[],"type":"timestamp","decimal":null,"nullable":true,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"day","column":"day","formerNames":[],"type":"date","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"labels","column":"labels","formerNames":[],"type":"json","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"createdAt","column":"created_at","formerNames":[],"type":"timestamp","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"updatedAt","column":"updated_at","formerNames":[],"type":"timestamp","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false}],"indexes":[{"columns":["folder_id","id"],"descending":[],"isUnique":false,"where":null},{"columns":["owner_id","count"],"descending":["count"],"isUnique":false,"where":null},{"columns":["due_at"],"descending":[],"isUnique":false,"where":"(\"is_done\" = FALSE)"},{"columns":["title"],"descending":[],"isUnique":true,"where":null},{"columns":["owner_id","day"],"descending":[],"isUnique":true,"where":null}]}');
INSERT INTO "auth_entity_declarations" ("digest", "parent", "declared", "content", "declared_at") VALUES ('47a59590eb6be54c59ef81ec53687895dcfef510fece30295a3d54c7863b8d37', NULL, '3fd7ec38e3a011e6d74eec1b1accb4614a492b9336e684159e18f89ae40c77a6', '{"name":"folders","table":"app_folders","formerNames":[],"columns":[{"name":"name","column":"name","formerNames":[],"type":"text","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"createdAt","column":"created_at","formerNames":[],"type":"timestamp","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"updatedAt","column":"updated_at","formerNames":[],"type":"timestamp","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false}],"indexes":[]}', 1767225600000);
INSERT INTO "auth_entity_declarations" ("digest", "parent", "declared", "content", "declared_at") VALUES ('05392d3feb80cdec83e41054372d71c646bd027dc905853a7b5e76d42d73cc0c', NULL, '81f9ca4fade78b806756b55b6c0aec2bbdf60bd82080f274f9ba7219242a681e', '{"name":"notes","table":"app_notes","formerNames":[],"columns":[{"name":"ownerId","column":"owner_id","formerNames":[],"type":"text","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"folderId","column":"folder_id","formerNames":[],"type":"text","decimal":null,"nullable":true,"references":{"table":"app_folders","onDelete":"setNull"},"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"title","column":"title","formerNames":[],"type":"text","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"isDone","column":"is_done","formerNames":[],"type":"boolean","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"state","column":"state","formerNames":[],"type":"text","decimal":null,"nullable":false,"references":null,"values":["open","held"],"initial":null,"replaces":null,"isDropped":false},{"name":"count","column":"count","formerNames":[],"type":"integer","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"ratio","column":"ratio","formerNames":[],"type":"number","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"price","column":"price","formerNames":[],"type":"decimal","decimal":{"precision":10,"scale":2},"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"dueAt","column":"due_at","formerNames":[],"type":"timestamp","decimal":null,"nullable":true,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"day","column":"day","formerNames":[],"type":"date","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"labels","column":"labels","formerNames":[],"type":"json","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"createdAt","column":"created_at","formerNames":[],"type":"timestamp","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false},{"name":"updatedAt","column":"updated_at","formerNames":[],"type":"timestamp","decimal":null,"nullable":false,"references":null,"values":null,"initial":null,"replaces":null,"isDropped":false}],"indexes":[{"columns":["title"],"descending":[],"isUnique":true,"where":null},{"columns":["owner_id","day"],"descending":[],"isUnique":true,"where":null},{"columns":["folder_id","id"],"descending":[],"isUnique":false,"where":null},{"columns":["owner_id","count"],"descending":["count"],"isUnique":false,"where":null},{"columns":["due_at"],"descending":[],"isUnique":false,"where":"(\"is_done\" = FALSE)"}]}', 1767225600000);
INSERT INTO "auth_own_migrations" ("id", "applied_at") VALUES ('2026-01-things', 1767225600000);
INSERT INTO "access_role_assignments" ("holder", "resource_type", "resource_id", "role", "granted_by", "granted_at") VALUES ('group:g', 'project', 'p', 'editor', '1fb9dd6f-de14-4428-9949-86a6e02b9b9d', 1767225600000);
INSERT INTO "access_role_assignments" ("holder", "resource_type", "resource_id", "role", "granted_by", "granted_at") VALUES ('user:1fb9dd6f-de14-4428-9949-86a6e02b9b9d', 'project', 'p', 'viewer', '1fb9dd6f-de14-4428-9949-86a6e02b9b9d', 1767225600000);
INSERT INTO "access_edges" ("child_type", "child_id", "parent_type", "parent_id") VALUES ('project', 'p', 'organization', 'acme');
INSERT INTO "access_closure" ("descendant_type", "descendant_id", "ancestor_type", "ancestor_id", "via_type", "via_id", "depth") VALUES ('project', 'p', 'organization', 'acme', 'project', 'p', 1);
INSERT INTO "access_groups" ("group_id", "tenant_id") VALUES ('all', 'acme');
INSERT INTO "access_groups" ("group_id", "tenant_id") VALUES ('g', 'acme');
INSERT INTO "access_memberships" ("child_type", "child_id", "parent_type", "parent_id") VALUES ('group', 'g', 'group', 'all');
INSERT INTO "access_memberships" ("child_type", "child_id", "parent_type", "parent_id") VALUES ('user', '1fb9dd6f-de14-4428-9949-86a6e02b9b9d', 'group', 'g');
INSERT INTO "access_group_closure" ("descendant_type", "descendant_id", "ancestor_type", "ancestor_id", "via_type", "via_id", "depth") VALUES ('group', 'g', 'group', 'all', 'group', 'g', 1);
INSERT INTO "access_group_closure" ("descendant_type", "descendant_id", "ancestor_type", "ancestor_id", "via_type", "via_id", "depth") VALUES ('user', '1fb9dd6f-de14-4428-9949-86a6e02b9b9d', 'group', 'all', 'group', 'g', 2);
INSERT INTO "access_group_closure" ("descendant_type", "descendant_id", "ancestor_type", "ancestor_id", "via_type", "via_id", "depth") VALUES ('user', '1fb9dd6f-de14-4428-9949-86a6e02b9b9d', 'group', 'g', 'user', '1fb9dd6f-de14-4428-9949-86a6e02b9b9d', 1);
INSERT INTO "access_flags" ("tenant_id", "name", "value") VALUES ('acme', 'beta', 1);
INSERT INTO "access_flags" ("tenant_id", "name", "value") VALUES (NULL, 'beta', 0);
INSERT INTO "access_subscriptions" ("tenant_id", "plan_group", "plan_name", "started_at", "expires_at") VALUES ('acme', 'base', 'pro', 1767225600000, NULL);
INSERT INTO "access_add_ons" ("tenant_id", "add_on", "quantity") VALUES ('acme', 'more', 2);
INSERT INTO "access_overrides" ("tenant_id", "name", "max_allowed") VALUES ('acme', 'seats', 5);
INSERT INTO "access_wallets" ("tenant_id", "limit_name", "period_start", "consumed") VALUES ('acme', 'exports', 1767225600000, 1);
INSERT INTO "access_consumptions" ("tenant_id", "receipt_id", "idempotency_key", "entries", "changed_at") VALUES ('acme', 'r', 'k', '[{"limit":"exports","periodStart":1767225600000,"amount":1}]', 1767225600000);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (1, 'record', 'app_folders', 'afe7c2f8-d1a8-4d7d-ace1-a7b7f6151de0', NULL, NULL, '{"id":"afe7c2f8-d1a8-4d7d-ace1-a7b7f6151de0","name":"Notes","created_at":1767225600000,"updated_at":1767225600000}', 1795988524312);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (2, 'record', 'app_notes', 'c0459231-ae2c-454d-aa54-0d08b1a49ff5', NULL, NULL, '{"id":"c0459231-ae2c-454d-aa54-0d08b1a49ff5","owner_id":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d","folder_id":"afe7c2f8-d1a8-4d7d-ace1-a7b7f6151de0","title":"Über","is_done":0,"state":"held","count":9007199254740991,"ratio":"0.1","price":1250,"due_at":1769860800123,"day":"2026-01-31","created_at":1767225600000,"updated_at":1767225600000}', 1795988524318);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (3, 'record', 'app_folders', 'afe7c2f8-d1a8-4d7d-ace1-a7b7f6151de0', NULL, '{"id":"afe7c2f8-d1a8-4d7d-ace1-a7b7f6151de0","name":"Notes","created_at":1767225600000,"updated_at":1767225600000}', '{"id":"afe7c2f8-d1a8-4d7d-ace1-a7b7f6151de0","name":"All notes","created_at":1767225600000,"updated_at":1767225600000}', 1795988524321);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (4, 'session', 'session', '52ff3db7-25c6-4e3a-bd6c-cb39d503b4d6', NULL, '{"userId":"b97fdd98-7643-4c84-b3d4-20f73606e331","ver":0,"isEnded":0}', '{"userId":"b97fdd98-7643-4c84-b3d4-20f73606e331","ver":0,"isEnded":1}', 1795988524324);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (5, 'hierarchy', 'project', 'p', NULL, NULL, '{"parentType":"organization","parentId":"acme"}', 1795988524328);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (6, 'role', 'project', 'p', NULL, NULL, '{"userId":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d","groupId":null,"role":"viewer"}', 1795988524328);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (7, 'role', 'project', 'p', NULL, NULL, '{"userId":null,"groupId":"g","role":"editor"}', 1795988524329);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (8, 'membership', 'group', 'g', NULL, NULL, '{"userId":"1fb9dd6f-de14-4428-9949-86a6e02b9b9d","groupId":null}', 1795988524329);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (9, 'membership', 'group', 'all', NULL, NULL, '{"userId":null,"groupId":"g"}', 1795988524330);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (10, 'flag', 'flag', 'beta', 'acme', NULL, '{"value":1}', 1795988524331);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (11, 'flag', 'flag', 'beta', NULL, NULL, '{"value":0}', 1795988524331);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (12, 'plan', 'plan', 'base', 'acme', NULL, '{"planName":"pro"}', 1795988524332);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (13, 'override', 'override', 'seats', 'acme', NULL, '{"max":5}', 1795988524332);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (14, 'addOn', 'addOn', 'more', 'acme', NULL, '{"quantity":2}', 1795988524333);
INSERT INTO "live_changes" ("seq", "kind", "entity", "id", "tenant_id", "before", "after", "at") VALUES (15, 'subscription', 's', 'notes', NULL, NULL, '{"from":"0.14"}', 1795988524335);
INSERT INTO "live_streams" ("id", "user_id", "open_until") VALUES ('s', '1fb9dd6f-de14-4428-9949-86a6e02b9b9d', 1767225660000);
INSERT INTO "live_subscriptions" ("stream_id", "id", "query") VALUES ('s', 'notes', '{"entity":"notes"}');
INSERT INTO "app_folders" ("id", "_version", "name", "created_at", "updated_at") VALUES ('afe7c2f8-d1a8-4d7d-ace1-a7b7f6151de0', 2, 'All notes', 1767225600000, 1767225600000);
INSERT INTO "app_notes" ("id", "_version", "owner_id", "folder_id", "title", "is_done", "state", "count", "ratio", "price", "due_at", "day", "labels", "created_at", "updated_at") VALUES ('c0459231-ae2c-454d-aa54-0d08b1a49ff5', 1, '1fb9dd6f-de14-4428-9949-86a6e02b9b9d', 'afe7c2f8-d1a8-4d7d-ace1-a7b7f6151de0', 'Über', 0, 'held', 9007199254740991, 0.1, 1250, 1769860800123, '2026-01-31', '{"a":[1,"two",null]}', 1767225600000, 1767225600000);
INSERT INTO "things" ("id") VALUES ('a');
CREATE INDEX auth_users_created_at ON auth_users (created_at DESC, id);
CREATE INDEX auth_users_email ON auth_users (email, id);
CREATE INDEX auth_users_unfinished ON auth_users (id) WHERE unfinished IS NOT NULL;
CREATE INDEX auth_sessions_user ON auth_sessions (user_id, revoked_at, expires_at);
CREATE INDEX auth_sessions_end ON auth_sessions (COALESCE(revoked_at, expires_at), id);
CREATE INDEX auth_rate_limits_resets_at ON auth_rate_limits (resets_at);
CREATE INDEX auth_events_user ON auth_events (user_id, at DESC, id) WHERE user_id IS NOT NULL;
CREATE INDEX auth_events_tenant ON auth_events (tenant_id, at DESC, id) WHERE tenant_id IS NOT NULL;
CREATE INDEX auth_events_at ON auth_events (at, id);
CREATE INDEX auth_events_type ON auth_events (type, at, id);
CREATE INDEX auth_email_verifications_end ON auth_email_verifications (expires_at, user_id);
CREATE INDEX auth_password_resets_end ON auth_password_resets (expires_at, user_id);
CREATE INDEX auth_one_time_ids_end ON auth_one_time_ids (expires_at);
CREATE INDEX auth_oauth_accounts_user ON auth_oauth_accounts (user_id, provider, provider_id);
CREATE INDEX access_role_assignments_kind ON access_role_assignments (holder, resource_type, role, resource_id);
CREATE INDEX access_role_assignments_resource ON access_role_assignments (resource_type, resource_id, role, holder);
CREATE INDEX access_role_assignments_grantor ON access_role_assignments (granted_by) WHERE granted_by IS NOT NULL;
CREATE INDEX access_edges_parent ON access_edges (parent_type, parent_id, child_type, child_id);
CREATE INDEX access_closure_ancestor ON access_closure (ancestor_type, ancestor_id, descendant_type, descendant_id);
CREATE INDEX access_memberships_group ON access_memberships (parent_type, parent_id, child_type, child_id);
CREATE INDEX access_group_closure_group ON access_group_closure (ancestor_type, ancestor_id, descendant_type, descendant_id);
CREATE UNIQUE INDEX access_flags_tenant ON access_flags (name, tenant_id) WHERE tenant_id IS NOT NULL;
CREATE UNIQUE INDEX access_flags_all ON access_flags (name) WHERE tenant_id IS NULL;
CREATE UNIQUE INDEX access_consumptions_key ON access_consumptions (tenant_id, idempotency_key)
WHERE idempotency_key IS NOT NULL;
CREATE INDEX access_consumptions_age ON access_consumptions (changed_at, tenant_id, receipt_id);
CREATE INDEX live_streams_user ON live_streams (user_id, open_until);
CREATE INDEX live_streams_end ON live_streams (open_until, id);
CREATE TRIGGER app_notes_04ada7ffca17_lost AFTER UPDATE OF "folder_id" ON "app_notes"
    WHEN NEW."folder_id" IS NULL AND OLD."folder_id" IS NOT NULL AND NEW."_version" = OLD."_version"
    BEGIN UPDATE "app_notes" SET "_version" = "_version" + 1 WHERE "id" = NEW."id"; END;
CREATE INDEX "app_notes_9aee88d3f168" ON "app_notes" ("folder_id", "id");
CREATE INDEX "app_notes_f4cc34eff6f8" ON "app_notes" ("owner_id", "count" DESC, "id" DESC);
CREATE INDEX "app_notes_4b1da22c8a05" ON "app_notes" ("due_at", "id") WHERE ("is_done" = FALSE);
CREATE TRIGGER live_append_107454bef40ced8a6c5c6b34 AFTER INSERT ON "access_role_assignments"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('role', NEW.resource_type, NEW.resource_id, NULL, NULL, json_object('userId', CASE substr(NEW.holder, 1, 5) WHEN 'user:' THEN substr(NEW.holder, 6) END, 'groupId', CASE substr(NEW.holder, 1, 6) WHEN 'group:' THEN substr(NEW.holder, 7) END, 'role', NEW.role), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_095de24bb882d9a2f84f3b65 AFTER DELETE ON "access_role_assignments"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('role', OLD.resource_type, OLD.resource_id, NULL, json_object('userId', CASE substr(OLD.holder, 1, 5) WHEN 'user:' THEN substr(OLD.holder, 6) END, 'groupId', CASE substr(OLD.holder, 1, 6) WHEN 'group:' THEN substr(OLD.holder, 7) END, 'role', OLD.role), NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_bdc776522ceeb4ff01adb1db AFTER INSERT ON "access_memberships"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('membership', NEW.parent_type, NEW.parent_id, NULL, NULL, json_object('userId', CASE NEW.child_type WHEN 'user' THEN NEW.child_id END, 'groupId', CASE NEW.child_type WHEN 'group' THEN NEW.child_id END), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_917791e23ca61dda62bd92a3 AFTER DELETE ON "access_memberships"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('membership', OLD.parent_type, OLD.parent_id, NULL, json_object('userId', CASE OLD.child_type WHEN 'user' THEN OLD.child_id END, 'groupId', CASE OLD.child_type WHEN 'group' THEN OLD.child_id END), NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_4abb428792549b98b513f0d7 AFTER INSERT ON "access_edges"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('hierarchy', NEW.child_type, NEW.child_id, NULL, NULL, json_object('parentType', NEW.parent_type, 'parentId', NEW.parent_id), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_ff5e83f844bc764b4ac627f7 AFTER UPDATE ON "access_edges"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('hierarchy', NEW.child_type, NEW.child_id, NULL, json_object('parentType', OLD.parent_type, 'parentId', OLD.parent_id), json_object('parentType', NEW.parent_type, 'parentId', NEW.parent_id), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_e695377bcf27c87e786d9d4e AFTER DELETE ON "access_edges"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('hierarchy', OLD.child_type, OLD.child_id, NULL, json_object('parentType', OLD.parent_type, 'parentId', OLD.parent_id), NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_a540ed7b014456ff40689d2a AFTER INSERT ON "access_subscriptions"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('plan', 'plan', NEW.plan_group, NEW.tenant_id, NULL, json_object('planName', NEW.plan_name), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_c8c5ddb5fdd8b29ebeaa7c2f AFTER UPDATE ON "access_subscriptions"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('plan', 'plan', NEW.plan_group, NEW.tenant_id, json_object('planName', OLD.plan_name), json_object('planName', NEW.plan_name), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_7fec401f57286a5a8e179320 AFTER DELETE ON "access_subscriptions"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('plan', 'plan', OLD.plan_group, OLD.tenant_id, json_object('planName', OLD.plan_name), NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_30a632d9496ffba4210afcc7 AFTER INSERT ON "access_add_ons"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('addOn', 'addOn', NEW.add_on, NEW.tenant_id, NULL, json_object('quantity', NEW.quantity), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_676c4edd93254f1669deae9a AFTER UPDATE ON "access_add_ons"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('addOn', 'addOn', NEW.add_on, NEW.tenant_id, json_object('quantity', OLD.quantity), json_object('quantity', NEW.quantity), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_d2a34aff1db5eed4f1b5b30c AFTER DELETE ON "access_add_ons"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('addOn', 'addOn', OLD.add_on, OLD.tenant_id, json_object('quantity', OLD.quantity), NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_9b540b7bcaff0d8140296392 AFTER INSERT ON "access_overrides"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('override', 'override', NEW.name, NEW.tenant_id, NULL, json_object('max', NEW.max_allowed), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_6ce3acda165a03fe651b3f6d AFTER UPDATE ON "access_overrides"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('override', 'override', NEW.name, NEW.tenant_id, json_object('max', OLD.max_allowed), json_object('max', NEW.max_allowed), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_cc52f0959ff221670f528cd1 AFTER DELETE ON "access_overrides"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('override', 'override', OLD.name, OLD.tenant_id, json_object('max', OLD.max_allowed), NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_f81c838fcbc86bfa34c2023f AFTER INSERT ON "access_flags"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('flag', 'flag', NEW.name, NEW.tenant_id, NULL, json_object('value', NEW.value), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_591374d94389b4794f5e5789 AFTER UPDATE ON "access_flags"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('flag', 'flag', NEW.name, NEW.tenant_id, json_object('value', OLD.value), json_object('value', NEW.value), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_67fae2f0e9214c200c02c39f AFTER DELETE ON "access_flags"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('flag', 'flag', OLD.name, OLD.tenant_id, json_object('value', OLD.value), NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_c940f2f337a31cc554021518 AFTER UPDATE OF revoked_at, ver ON "auth_sessions" WHEN OLD.revoked_at IS DISTINCT FROM NEW.revoked_at OR OLD.ver IS DISTINCT FROM NEW.ver BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('session', 'session', NEW.id, NULL, json_object('userId', OLD.user_id, 'ver', OLD.ver, 'isEnded', OLD.revoked_at IS NOT NULL), json_object('userId', NEW.user_id, 'ver', NEW.ver, 'isEnded', NEW.revoked_at IS NOT NULL), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_f2187e20785bfbf409ef1145 AFTER DELETE ON "auth_sessions" WHEN OLD.revoked_at IS NULL BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('session', 'session', OLD.id, NULL, json_object('userId', OLD.user_id, 'ver', OLD.ver, 'isEnded', OLD.revoked_at IS NOT NULL), NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_e203ac31e6f648ce83542065 AFTER INSERT ON "app_folders"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('record', 'app_folders', NEW."id", NULL, NULL, json_object('id', NEW."id", 'name', NEW."name", 'created_at', NEW."created_at", 'updated_at', NEW."updated_at"), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_a5595cc266c613e1c8db8d06 AFTER UPDATE ON "app_folders"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('record', 'app_folders', NEW."id", NULL, json_object('id', OLD."id", 'name', OLD."name", 'created_at', OLD."created_at", 'updated_at', OLD."updated_at"), json_object('id', NEW."id", 'name', NEW."name", 'created_at', NEW."created_at", 'updated_at', NEW."updated_at"), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_e5e7c4c1f77908ed29e91539 AFTER DELETE ON "app_folders"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('record', 'app_folders', OLD."id", NULL, json_object('id', OLD."id", 'name', OLD."name", 'created_at', OLD."created_at", 'updated_at', OLD."updated_at"), NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_e0f222e7950f515aff7fe7e7 AFTER INSERT ON "app_notes"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('record', 'app_notes', NEW."id", NULL, NULL, json_object('id', NEW."id", 'owner_id', NEW."owner_id", 'folder_id', NEW."folder_id", 'title', NEW."title", 'is_done', NEW."is_done", 'state', NEW."state", 'count', NEW."count", 'ratio', CASE WHEN NEW."ratio" IS NULL THEN NULL ELSE printf('%!.17g', NEW."ratio") END, 'price', NEW."price", 'due_at', NEW."due_at", 'day', NEW."day", 'created_at', NEW."created_at", 'updated_at', NEW."updated_at"), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_ca08b30c8fdf84ba148f54be AFTER UPDATE ON "app_notes"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('record', 'app_notes', NEW."id", NULL, json_object('id', OLD."id", 'owner_id', OLD."owner_id", 'folder_id', OLD."folder_id", 'title', OLD."title", 'is_done', OLD."is_done", 'state', OLD."state", 'count', OLD."count", 'ratio', CASE WHEN OLD."ratio" IS NULL THEN NULL ELSE printf('%!.17g', OLD."ratio") END, 'price', OLD."price", 'due_at', OLD."due_at", 'day', OLD."day", 'created_at', OLD."created_at", 'updated_at', OLD."updated_at"), json_object('id', NEW."id", 'owner_id', NEW."owner_id", 'folder_id', NEW."folder_id", 'title', NEW."title", 'is_done', NEW."is_done", 'state', NEW."state", 'count', NEW."count", 'ratio', CASE WHEN NEW."ratio" IS NULL THEN NULL ELSE printf('%!.17g', NEW."ratio") END, 'price', NEW."price", 'due_at', NEW."due_at", 'day', NEW."day", 'created_at', NEW."created_at", 'updated_at', NEW."updated_at"), CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE TRIGGER live_append_a74b2776c542e1fa3628b4a5 AFTER DELETE ON "app_notes"  BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('record', 'app_notes', OLD."id", NULL, json_object('id', OLD."id", 'owner_id', OLD."owner_id", 'folder_id', OLD."folder_id", 'title', OLD."title", 'is_done', OLD."is_done", 'state', OLD."state", 'count', OLD."count", 'ratio', CASE WHEN OLD."ratio" IS NULL THEN NULL ELSE printf('%!.17g', OLD."ratio") END, 'price', OLD."price", 'due_at', OLD."due_at", 'day', OLD."day", 'created_at', OLD."created_at", 'updated_at', OLD."updated_at"), NULL, CAST(unixepoch('subsec') * 1000 AS INTEGER)); END;
CREATE UNIQUE INDEX "app_notes_e81ac55d260e" ON "app_notes" ("title");
CREATE UNIQUE INDEX "app_notes_6badcdd8ff3a" ON "app_notes" ("owner_id", "day");
PRAGMA foreign_keys = ON;
