CREATE TABLE IF NOT EXISTS auth_migrations (
    number BIGINT NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    checksum TEXT COLLATE "C" NOT NULL,
    applied_at BIGINT NOT NULL
  ) ;
CREATE TABLE auth_users (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  email TEXT COLLATE "C" NOT NULL,
  login_email TEXT COLLATE "C" UNIQUE,
  email_verified BOOLEAN NOT NULL,
  email_proven_at BIGINT,
  password_hash TEXT COLLATE "C",
  role TEXT COLLATE "C" NOT NULL,
  tenant_id TEXT COLLATE "C",
  fields JSON NOT NULL CHECK (json_typeof(fields) = 'object'),
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  disabled_at BIGINT,
  unfinished TEXT COLLATE "C" CHECK (unfinished IN ('reclaim', 'deletion'))
);

CREATE INDEX auth_users_created_at ON auth_users (created_at DESC, id);

CREATE INDEX auth_users_email ON auth_users (email, id);

CREATE INDEX auth_users_unfinished ON auth_users (id) WHERE unfinished IS NOT NULL;

CREATE TABLE auth_sessions (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
  refresh_token_hash TEXT COLLATE "C" NOT NULL,
  previous_token_hash TEXT COLLATE "C",
  refresh_salt TEXT COLLATE "C" NOT NULL,
  generation BIGINT NOT NULL CHECK (generation >= 0),
  rotated_at BIGINT NOT NULL,
  ip_address TEXT COLLATE "C",
  user_agent TEXT COLLATE "C",
  tenant_id TEXT COLLATE "C",
  second_factor_at BIGINT,
  authenticated_at BIGINT NOT NULL,
  authenticated_by TEXT COLLATE "C" NOT NULL,
  ver BIGINT NOT NULL CHECK (ver >= 0),
  created_at BIGINT NOT NULL,
  last_active_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  revoked_at BIGINT
);

-- A user's active sessions are one range of it; the cascade from auth_users walks it too.
CREATE INDEX auth_sessions_user ON auth_sessions (user_id, revoked_at, expires_at);

-- The order in which sessions that ended are pruned.
CREATE INDEX auth_sessions_end ON auth_sessions (COALESCE(revoked_at, expires_at), id);

-- The outbox of revocations: a session's id, and the lowest ver of its JWTs that is still valid, if one is. Each
-- process reads it from its cursor on, because Postgres does not repeat a notification.
CREATE TABLE auth_revocations (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  session_id TEXT COLLATE "C" NOT NULL,
  lowest_ver BIGINT
);

CREATE FUNCTION auth_sessions_append_revocation() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  entry auth_revocations;
BEGIN
  INSERT INTO auth_revocations (session_id, lowest_ver)
  VALUES (NEW.id, CASE WHEN NEW.revoked_at IS NULL THEN NEW.ver END)
  RETURNING * INTO entry;
  PERFORM pg_notify('auth_revoked', concat_ws(' ', entry.seq, entry.session_id, entry.lowest_ver));
  RETURN NULL;
END
$$;

CREATE TRIGGER auth_sessions_append_revocation AFTER UPDATE OF revoked_at, ver ON auth_sessions
FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at OR OLD.ver IS DISTINCT FROM NEW.ver)
EXECUTE FUNCTION auth_sessions_append_revocation();

-- A window is one row that changes with each attempt, and no index with it. So Postgres can put its next version beside
-- it.
CREATE TABLE auth_rate_limits (
  key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  count BIGINT NOT NULL CHECK (count >= 0),
  resets_at BIGINT NOT NULL
) WITH (fillfactor = 70);

CREATE INDEX auth_rate_limits_resets_at ON auth_rate_limits (resets_at);

CREATE TABLE auth_events (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  type TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  occurrences BIGINT NOT NULL CHECK (occurrences > 0),
  user_id TEXT COLLATE "C",
  tenant_id TEXT COLLATE "C",
  session_id TEXT COLLATE "C",
  ip_address TEXT COLLATE "C",
  user_agent TEXT COLLATE "C",
  detail JSON NOT NULL CHECK (json_typeof(detail) = 'object')
);

CREATE INDEX auth_events_user ON auth_events (user_id, at DESC, id) WHERE user_id IS NOT NULL;

CREATE INDEX auth_events_tenant ON auth_events (tenant_id, at DESC, id) WHERE tenant_id IS NOT NULL;

CREATE INDEX auth_events_at ON auth_events (at, id);

-- Events of some types are pruned earlier.
CREATE INDEX auth_events_type ON auth_events (type, at, id);

CREATE TABLE auth_counters (
  name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  value BIGINT NOT NULL
);

-- A user has one token of a kind at most.
CREATE TABLE auth_email_verifications (
  user_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES auth_users (id) ON DELETE CASCADE,
  token_hash TEXT COLLATE "C" NOT NULL UNIQUE,
  email TEXT COLLATE "C" NOT NULL,
  new_email TEXT COLLATE "C",
  expires_at BIGINT NOT NULL
);

CREATE INDEX auth_email_verifications_end ON auth_email_verifications (expires_at, user_id);

CREATE TABLE auth_password_resets (
  user_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES auth_users (id) ON DELETE CASCADE,
  token_hash TEXT COLLATE "C" NOT NULL UNIQUE,
  email TEXT COLLATE "C" NOT NULL,
  new_email TEXT COLLATE "C",
  expires_at BIGINT NOT NULL
);

CREATE INDEX auth_password_resets_end ON auth_password_resets (expires_at, user_id);

CREATE TABLE auth_one_time_ids (
  hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  expires_at BIGINT NOT NULL
);

CREATE INDEX auth_one_time_ids_end ON auth_one_time_ids (expires_at);

-- A user has one second factor at most: it waits for its first code, or it is on.
CREATE TABLE auth_mfa (
  user_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES auth_users (id) ON DELETE CASCADE,
  secret TEXT COLLATE "C" NOT NULL,
  pending_until BIGINT NOT NULL,
  last_step BIGINT CHECK (last_step >= 0),
  enabled_at BIGINT,
  wrong_codes INTEGER NOT NULL DEFAULT 0,
  CHECK ((last_step IS NULL) = (enabled_at IS NULL))
);

CREATE TABLE auth_mfa_backup_codes (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES auth_mfa (user_id) ON DELETE CASCADE,
  code_hash TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, code_hash)
);

-- An identity at a provider signs one user in.
CREATE TABLE auth_oauth_accounts (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
  provider TEXT COLLATE "C" NOT NULL,
  provider_id TEXT COLLATE "C" NOT NULL,
  email TEXT COLLATE "C",
  PRIMARY KEY (provider, provider_id)
);

CREATE INDEX auth_oauth_accounts_user ON auth_oauth_accounts (user_id, provider, provider_id);

-- The tables of the app's entities as they are now, as JSON. `head` is the digest of the declaration they follow.
CREATE TABLE auth_entity_tables (
  name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  head TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL
);

-- The history of each table: the digest of a declaration includes that of the one before. A start finds its own by
-- `declared`, and in `content` which columns its names mean.
CREATE TABLE auth_entity_declarations (
  digest TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  parent TEXT COLLATE "C",
  declared TEXT COLLATE "C" NOT NULL,
  content TEXT COLLATE "C" NOT NULL,
  declared_at BIGINT NOT NULL
);

-- The migrations of the app that were applied.
CREATE TABLE auth_own_migrations (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  applied_at BIGINT NOT NULL
);

CREATE TABLE access_role_assignments (
  -- `user:` or `group:`, and the id.
  holder TEXT COLLATE "C" NOT NULL,
  resource_type TEXT COLLATE "C" NOT NULL,
  resource_id TEXT COLLATE "C" NOT NULL,
  role TEXT COLLATE "C" NOT NULL,
  -- The user who assigned it; null for the app itself.
  granted_by TEXT COLLATE "C",
  granted_at BIGINT NOT NULL,
  PRIMARY KEY (holder, resource_type, resource_id, role)
);

-- The roles of a user or a group on resources of one type.
CREATE INDEX access_role_assignments_kind ON access_role_assignments (holder, resource_type, role, resource_id);

-- The holders of a role on a resource, in the order of their ids.
CREATE INDEX access_role_assignments_resource ON access_role_assignments (resource_type, resource_id, role, holder);

CREATE INDEX access_role_assignments_grantor ON access_role_assignments (granted_by) WHERE granted_by IS NOT NULL;

CREATE TABLE access_edges (
  child_type TEXT COLLATE "C" NOT NULL,
  child_id TEXT COLLATE "C" NOT NULL,
  parent_type TEXT COLLATE "C" NOT NULL,
  parent_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (child_type, child_id, parent_type, parent_id)
);

CREATE INDEX access_edges_parent ON access_edges (parent_type, parent_id, child_type, child_id);

-- Each resource with every edge above it, from a resource to its parent (the ancestor), and with the length of the
-- longest path that ends with the edge. So everything above a resource, with its paths, is one range.
CREATE TABLE access_closure (
  descendant_type TEXT COLLATE "C" NOT NULL,
  descendant_id TEXT COLLATE "C" NOT NULL,
  ancestor_type TEXT COLLATE "C" NOT NULL,
  ancestor_id TEXT COLLATE "C" NOT NULL,
  via_type TEXT COLLATE "C" NOT NULL,
  via_id TEXT COLLATE "C" NOT NULL,
  depth BIGINT NOT NULL CHECK (depth >= 1),
  PRIMARY KEY (descendant_type, descendant_id, ancestor_type, ancestor_id, via_type, via_id)
);

CREATE INDEX access_closure_ancestor ON access_closure (ancestor_type, ancestor_id, descendant_type, descendant_id);

-- The tenant of each group.
CREATE TABLE access_groups (
  group_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  tenant_id TEXT COLLATE "C" NOT NULL
);

-- The members of groups, `user` or `group`, as edges to their `group`; and every edge above each member.
CREATE TABLE access_memberships (
  child_type TEXT COLLATE "C" NOT NULL,
  child_id TEXT COLLATE "C" NOT NULL,
  parent_type TEXT COLLATE "C" NOT NULL,
  parent_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (child_type, child_id, parent_type, parent_id)
);

CREATE INDEX access_memberships_group ON access_memberships (parent_type, parent_id, child_type, child_id);

CREATE TABLE access_group_closure (
  descendant_type TEXT COLLATE "C" NOT NULL,
  descendant_id TEXT COLLATE "C" NOT NULL,
  ancestor_type TEXT COLLATE "C" NOT NULL,
  ancestor_id TEXT COLLATE "C" NOT NULL,
  via_type TEXT COLLATE "C" NOT NULL,
  via_id TEXT COLLATE "C" NOT NULL,
  depth BIGINT NOT NULL CHECK (depth >= 1),
  PRIMARY KEY (descendant_type, descendant_id, ancestor_type, ancestor_id, via_type, via_id)
);

CREATE INDEX access_group_closure_group ON access_group_closure (ancestor_type, ancestor_id, descendant_type, descendant_id);

-- A flag without a tenant counts for all tenants without a flag of this name.
CREATE TABLE access_flags (
  tenant_id TEXT COLLATE "C",
  name TEXT COLLATE "C" NOT NULL,
  value BOOLEAN NOT NULL
);

CREATE UNIQUE INDEX access_flags_tenant ON access_flags (name, tenant_id) WHERE tenant_id IS NOT NULL;

CREATE UNIQUE INDEX access_flags_all ON access_flags (name) WHERE tenant_id IS NULL;

-- The base plan of a tenant in each group of plans.
CREATE TABLE access_subscriptions (
  tenant_id TEXT COLLATE "C" NOT NULL,
  plan_group TEXT COLLATE "C" NOT NULL,
  plan_name TEXT COLLATE "C" NOT NULL,
  started_at BIGINT NOT NULL,
  expires_at BIGINT,
  PRIMARY KEY (tenant_id, plan_group)
);

CREATE TABLE access_add_ons (
  tenant_id TEXT COLLATE "C" NOT NULL,
  add_on TEXT COLLATE "C" NOT NULL,
  quantity BIGINT NOT NULL CHECK (quantity >= 1),
  PRIMARY KEY (tenant_id, add_on)
);

-- The least limits of a tenant; -1 is unlimited.
CREATE TABLE access_overrides (
  tenant_id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  max_allowed BIGINT NOT NULL CHECK (max_allowed = -1 OR max_allowed >= 1),
  PRIMARY KEY (tenant_id, name)
);

-- A counter changes with each consumption, and no index with it. So Postgres can put its next version beside it.
CREATE TABLE access_wallets (
  tenant_id TEXT COLLATE "C" NOT NULL,
  limit_name TEXT COLLATE "C" NOT NULL,
  period_start BIGINT NOT NULL,
  consumed BIGINT NOT NULL CHECK (consumed >= 0),
  PRIMARY KEY (tenant_id, limit_name, period_start)
) WITH (fillfactor = 70);

-- Uses that must not be counted again (they have a key), or not be taken back again (they have no key any more).
CREATE TABLE access_consumptions (
  tenant_id TEXT COLLATE "C" NOT NULL,
  receipt_id TEXT COLLATE "C" NOT NULL,
  idempotency_key TEXT COLLATE "C",
  entries JSON NOT NULL CHECK (json_typeof(entries) = 'array'),
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, receipt_id)
);

CREATE UNIQUE INDEX access_consumptions_key ON access_consumptions (tenant_id, idempotency_key)
WHERE idempotency_key IS NOT NULL;

CREATE INDEX access_consumptions_age ON access_consumptions (changed_at, tenant_id, receipt_id);

-- The feed of changes: see its contract. A reader stops at the oldest running transaction, so rows need not be
-- committed in the order of their numbers. Rows are deleted after some minutes.
CREATE TABLE live_changes (
  xid XID8 NOT NULL DEFAULT pg_current_xact_id(),
  seq BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY,
  kind TEXT COLLATE "C" NOT NULL,
  entity TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  tenant_id TEXT COLLATE "C",
  before JSON,
  after JSON,
  at BIGINT NOT NULL,
  PRIMARY KEY (xid, seq)
);

-- Transactions that notify commit one after another. So only one at a time notifies, and the poll reads the others.
CREATE FUNCTION live_changes_hint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_try_advisory_xact_lock(7281643906) THEN
    NOTIFY live_changed;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER live_changes_hint AFTER INSERT ON live_changes
FOR EACH STATEMENT EXECUTE FUNCTION live_changes_hint();

-- The streams of browsers, with their subscriptions. A browser can resume a closed stream until it is pruned.
CREATE TABLE live_streams (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  user_id TEXT COLLATE "C" NOT NULL,
  open_until BIGINT NOT NULL
);

CREATE INDEX live_streams_user ON live_streams (user_id, open_until);

CREATE INDEX live_streams_end ON live_streams (open_until, id);

CREATE TABLE live_subscriptions (
  stream_id TEXT COLLATE "C" NOT NULL REFERENCES live_streams (id) ON DELETE CASCADE,
  id TEXT COLLATE "C" NOT NULL,
  query JSON NOT NULL,
  PRIMARY KEY (stream_id, id)
);
;
CREATE TABLE IF NOT EXISTS auth_migrations (
    number BIGINT NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    checksum TEXT COLLATE "C" NOT NULL,
    applied_at BIGINT NOT NULL
  ) ;
CREATE TABLE "app_folders" ("id" TEXT COLLATE "C" NOT NULL PRIMARY KEY, "_version" BIGINT NOT NULL) ;
CREATE TABLE "app_notes" ("id" TEXT COLLATE "C" NOT NULL PRIMARY KEY, "_version" BIGINT NOT NULL) ;
ALTER TABLE "app_folders" ADD COLUMN "name" TEXT COLLATE "C";
ALTER TABLE "app_folders" ADD COLUMN "created_at" BIGINT DEFAULT 1767225600000;
ALTER TABLE "app_folders" ADD COLUMN "updated_at" BIGINT DEFAULT 1767225600000;
ALTER TABLE "app_notes" ADD COLUMN "owner_id" TEXT COLLATE "C";
ALTER TABLE "app_notes" ADD COLUMN "folder_id" TEXT COLLATE "C" REFERENCES "app_folders" ("id") ON DELETE SET NULL;
CREATE OR REPLACE FUNCTION app_notes_04ada7ffca17_lost() RETURNS trigger LANGUAGE plpgsql AS $lost$ BEGIN
      NEW."_version" := NEW."_version" + 1; RETURN NEW; END $lost$;
    DROP TRIGGER IF EXISTS app_notes_04ada7ffca17_lost ON "app_notes";
    CREATE TRIGGER app_notes_04ada7ffca17_lost BEFORE UPDATE OF "folder_id" ON "app_notes" FOR EACH ROW
    WHEN (NEW."folder_id" IS NULL AND OLD."folder_id" IS NOT NULL AND NEW."_version" = OLD."_version")
    EXECUTE FUNCTION app_notes_04ada7ffca17_lost();
ALTER TABLE "app_notes" ADD COLUMN "title" TEXT COLLATE "C";
ALTER TABLE "app_notes" ADD COLUMN "is_done" BOOLEAN DEFAULT FALSE;
ALTER TABLE "app_notes" ADD COLUMN "state" TEXT COLLATE "C";
ALTER TABLE "app_notes" ADD COLUMN "count" BIGINT;
ALTER TABLE "app_notes" ADD COLUMN "ratio" DOUBLE PRECISION;
ALTER TABLE "app_notes" ADD COLUMN "price" NUMERIC;
ALTER TABLE "app_notes" ADD COLUMN "due_at" BIGINT;
ALTER TABLE "app_notes" ADD COLUMN "day" TEXT COLLATE "C";
ALTER TABLE "app_notes" ADD COLUMN "labels" JSON;
ALTER TABLE "app_notes" ADD COLUMN "created_at" BIGINT DEFAULT 1767225600000;
ALTER TABLE "app_notes" ADD COLUMN "updated_at" BIGINT DEFAULT 1767225600000;
CREATE INDEX "app_notes_9aee88d3f168" ON "app_notes" ("folder_id", "id");
CREATE INDEX "app_notes_f4cc34eff6f8" ON "app_notes" ("owner_id", "count" DESC, "id" DESC);
CREATE INDEX "app_notes_4b1da22c8a05" ON "app_notes" ("due_at", "id") WHERE ("is_done" = FALSE);

    CREATE FUNCTION live_append_ffe64a2fd505b8ba8c7cac3e() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('role', NEW.resource_type, NEW.resource_id, NULL, NULL, json_build_object('userId', CASE substr(NEW.holder, 1, 5) WHEN 'user:' THEN substr(NEW.holder, 6) END, 'groupId', CASE substr(NEW.holder, 1, 6) WHEN 'group:' THEN substr(NEW.holder, 7) END, 'role', NEW.role), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_ffe64a2fd505b8ba8c7cac3e AFTER INSERT ON "access_role_assignments" FOR EACH ROW 
    EXECUTE FUNCTION live_append_ffe64a2fd505b8ba8c7cac3e();

    CREATE FUNCTION live_append_06ac6881ec3698ff670a9deb() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('role', OLD.resource_type, OLD.resource_id, NULL, json_build_object('userId', CASE substr(OLD.holder, 1, 5) WHEN 'user:' THEN substr(OLD.holder, 6) END, 'groupId', CASE substr(OLD.holder, 1, 6) WHEN 'group:' THEN substr(OLD.holder, 7) END, 'role', OLD.role), NULL, CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_06ac6881ec3698ff670a9deb AFTER DELETE ON "access_role_assignments" FOR EACH ROW 
    EXECUTE FUNCTION live_append_06ac6881ec3698ff670a9deb();

    CREATE FUNCTION live_append_13e83e669fe549a994452776() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('membership', NEW.parent_type, NEW.parent_id, NULL, NULL, json_build_object('userId', CASE NEW.child_type WHEN 'user' THEN NEW.child_id END, 'groupId', CASE NEW.child_type WHEN 'group' THEN NEW.child_id END), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_13e83e669fe549a994452776 AFTER INSERT ON "access_memberships" FOR EACH ROW 
    EXECUTE FUNCTION live_append_13e83e669fe549a994452776();

    CREATE FUNCTION live_append_d41f7d48b24d9f2648cc07c9() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('membership', OLD.parent_type, OLD.parent_id, NULL, json_build_object('userId', CASE OLD.child_type WHEN 'user' THEN OLD.child_id END, 'groupId', CASE OLD.child_type WHEN 'group' THEN OLD.child_id END), NULL, CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_d41f7d48b24d9f2648cc07c9 AFTER DELETE ON "access_memberships" FOR EACH ROW 
    EXECUTE FUNCTION live_append_d41f7d48b24d9f2648cc07c9();

    CREATE FUNCTION live_append_419f1b2e0f8b370ea646e80f() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('hierarchy', NEW.child_type, NEW.child_id, NULL, NULL, json_build_object('parentType', NEW.parent_type, 'parentId', NEW.parent_id), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_419f1b2e0f8b370ea646e80f AFTER INSERT ON "access_edges" FOR EACH ROW 
    EXECUTE FUNCTION live_append_419f1b2e0f8b370ea646e80f();

    CREATE FUNCTION live_append_2a1bb631647289c8eb311e4c() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('hierarchy', NEW.child_type, NEW.child_id, NULL, json_build_object('parentType', OLD.parent_type, 'parentId', OLD.parent_id), json_build_object('parentType', NEW.parent_type, 'parentId', NEW.parent_id), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_2a1bb631647289c8eb311e4c AFTER UPDATE ON "access_edges" FOR EACH ROW 
    EXECUTE FUNCTION live_append_2a1bb631647289c8eb311e4c();

    CREATE FUNCTION live_append_db4bbcc7508db68195ce8ad4() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('hierarchy', OLD.child_type, OLD.child_id, NULL, json_build_object('parentType', OLD.parent_type, 'parentId', OLD.parent_id), NULL, CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_db4bbcc7508db68195ce8ad4 AFTER DELETE ON "access_edges" FOR EACH ROW 
    EXECUTE FUNCTION live_append_db4bbcc7508db68195ce8ad4();

    CREATE FUNCTION live_append_9938ad877de7fb6782942af3() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('plan', 'plan', NEW.plan_group, NEW.tenant_id, NULL, json_build_object('planName', NEW.plan_name), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_9938ad877de7fb6782942af3 AFTER INSERT ON "access_subscriptions" FOR EACH ROW 
    EXECUTE FUNCTION live_append_9938ad877de7fb6782942af3();

    CREATE FUNCTION live_append_d2d16efa33b1e0f7c39bdde3() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('plan', 'plan', NEW.plan_group, NEW.tenant_id, json_build_object('planName', OLD.plan_name), json_build_object('planName', NEW.plan_name), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_d2d16efa33b1e0f7c39bdde3 AFTER UPDATE ON "access_subscriptions" FOR EACH ROW 
    EXECUTE FUNCTION live_append_d2d16efa33b1e0f7c39bdde3();

    CREATE FUNCTION live_append_2070282d9f411576a5bd4648() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('plan', 'plan', OLD.plan_group, OLD.tenant_id, json_build_object('planName', OLD.plan_name), NULL, CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_2070282d9f411576a5bd4648 AFTER DELETE ON "access_subscriptions" FOR EACH ROW 
    EXECUTE FUNCTION live_append_2070282d9f411576a5bd4648();

    CREATE FUNCTION live_append_5a5f9f13c14f22a12090e277() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('addOn', 'addOn', NEW.add_on, NEW.tenant_id, NULL, json_build_object('quantity', NEW.quantity), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_5a5f9f13c14f22a12090e277 AFTER INSERT ON "access_add_ons" FOR EACH ROW 
    EXECUTE FUNCTION live_append_5a5f9f13c14f22a12090e277();

    CREATE FUNCTION live_append_6abab7c2606fdb27dc0f786d() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('addOn', 'addOn', NEW.add_on, NEW.tenant_id, json_build_object('quantity', OLD.quantity), json_build_object('quantity', NEW.quantity), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_6abab7c2606fdb27dc0f786d AFTER UPDATE ON "access_add_ons" FOR EACH ROW 
    EXECUTE FUNCTION live_append_6abab7c2606fdb27dc0f786d();

    CREATE FUNCTION live_append_771bc4a05d02e785dce32bd0() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('addOn', 'addOn', OLD.add_on, OLD.tenant_id, json_build_object('quantity', OLD.quantity), NULL, CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_771bc4a05d02e785dce32bd0 AFTER DELETE ON "access_add_ons" FOR EACH ROW 
    EXECUTE FUNCTION live_append_771bc4a05d02e785dce32bd0();

    CREATE FUNCTION live_append_22d70807cee0a6e1860d8235() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('override', 'override', NEW.name, NEW.tenant_id, NULL, json_build_object('max', NEW.max_allowed), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_22d70807cee0a6e1860d8235 AFTER INSERT ON "access_overrides" FOR EACH ROW 
    EXECUTE FUNCTION live_append_22d70807cee0a6e1860d8235();

    CREATE FUNCTION live_append_8b513ef17a268ed3361c75d2() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('override', 'override', NEW.name, NEW.tenant_id, json_build_object('max', OLD.max_allowed), json_build_object('max', NEW.max_allowed), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_8b513ef17a268ed3361c75d2 AFTER UPDATE ON "access_overrides" FOR EACH ROW 
    EXECUTE FUNCTION live_append_8b513ef17a268ed3361c75d2();

    CREATE FUNCTION live_append_faa47e0f80a10dc3fc280555() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('override', 'override', OLD.name, OLD.tenant_id, json_build_object('max', OLD.max_allowed), NULL, CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_faa47e0f80a10dc3fc280555 AFTER DELETE ON "access_overrides" FOR EACH ROW 
    EXECUTE FUNCTION live_append_faa47e0f80a10dc3fc280555();

    CREATE FUNCTION live_append_cce60c4b9e14afb2610dd823() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('flag', 'flag', NEW.name, NEW.tenant_id, NULL, json_build_object('value', NEW.value), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_cce60c4b9e14afb2610dd823 AFTER INSERT ON "access_flags" FOR EACH ROW 
    EXECUTE FUNCTION live_append_cce60c4b9e14afb2610dd823();

    CREATE FUNCTION live_append_963ce3e9c40584f9e88bdc1a() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('flag', 'flag', NEW.name, NEW.tenant_id, json_build_object('value', OLD.value), json_build_object('value', NEW.value), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_963ce3e9c40584f9e88bdc1a AFTER UPDATE ON "access_flags" FOR EACH ROW 
    EXECUTE FUNCTION live_append_963ce3e9c40584f9e88bdc1a();

    CREATE FUNCTION live_append_bec4989eab3f7391fb7b8b34() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('flag', 'flag', OLD.name, OLD.tenant_id, json_build_object('value', OLD.value), NULL, CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_bec4989eab3f7391fb7b8b34 AFTER DELETE ON "access_flags" FOR EACH ROW 
    EXECUTE FUNCTION live_append_bec4989eab3f7391fb7b8b34();

    CREATE FUNCTION live_append_5ec8340958fa467f30e94539() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('session', 'session', NEW.id, NULL, json_build_object('userId', OLD.user_id, 'ver', OLD.ver, 'isEnded', OLD.revoked_at IS NOT NULL), json_build_object('userId', NEW.user_id, 'ver', NEW.ver, 'isEnded', NEW.revoked_at IS NOT NULL), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_5ec8340958fa467f30e94539 AFTER UPDATE OF revoked_at, ver ON "auth_sessions" FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at OR OLD.ver IS DISTINCT FROM NEW.ver)
    EXECUTE FUNCTION live_append_5ec8340958fa467f30e94539();

    CREATE FUNCTION live_append_f6b8199dd3de460d9dfc3221() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('session', 'session', OLD.id, NULL, json_build_object('userId', OLD.user_id, 'ver', OLD.ver, 'isEnded', OLD.revoked_at IS NOT NULL), NULL, CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_f6b8199dd3de460d9dfc3221 AFTER DELETE ON "auth_sessions" FOR EACH ROW WHEN (OLD.revoked_at IS NULL)
    EXECUTE FUNCTION live_append_f6b8199dd3de460d9dfc3221();

    CREATE FUNCTION live_append_c397ac2d2d0ad09c812bad1f() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('record', 'app_folders', NEW."id", NULL, NULL, json_build_object('id', NEW."id", 'name', NEW."name", 'created_at', NEW."created_at", 'updated_at', NEW."updated_at"), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_c397ac2d2d0ad09c812bad1f AFTER INSERT ON "app_folders" FOR EACH ROW 
    EXECUTE FUNCTION live_append_c397ac2d2d0ad09c812bad1f();

    CREATE FUNCTION live_append_e2e867cc9bf60fc873cd8221() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('record', 'app_folders', NEW."id", NULL, json_build_object('id', OLD."id", 'name', OLD."name", 'created_at', OLD."created_at", 'updated_at', OLD."updated_at"), json_build_object('id', NEW."id", 'name', NEW."name", 'created_at', NEW."created_at", 'updated_at', NEW."updated_at"), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_e2e867cc9bf60fc873cd8221 AFTER UPDATE ON "app_folders" FOR EACH ROW 
    EXECUTE FUNCTION live_append_e2e867cc9bf60fc873cd8221();

    CREATE FUNCTION live_append_044fadaeb6d08888b48e4dab() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('record', 'app_folders', OLD."id", NULL, json_build_object('id', OLD."id", 'name', OLD."name", 'created_at', OLD."created_at", 'updated_at', OLD."updated_at"), NULL, CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_044fadaeb6d08888b48e4dab AFTER DELETE ON "app_folders" FOR EACH ROW 
    EXECUTE FUNCTION live_append_044fadaeb6d08888b48e4dab();

    CREATE FUNCTION live_append_959d24c2b451ca9520e11d38() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('record', 'app_notes', NEW."id", NULL, NULL, json_build_object('id', NEW."id", 'owner_id', NEW."owner_id", 'folder_id', NEW."folder_id", 'title', NEW."title", 'is_done', NEW."is_done", 'state', NEW."state", 'count', NEW."count", 'ratio', NEW."ratio", 'price', CAST(NEW."price" AS TEXT), 'due_at', NEW."due_at", 'day', NEW."day", 'created_at', NEW."created_at", 'updated_at', NEW."updated_at"), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_959d24c2b451ca9520e11d38 AFTER INSERT ON "app_notes" FOR EACH ROW 
    EXECUTE FUNCTION live_append_959d24c2b451ca9520e11d38();

    CREATE FUNCTION live_append_aae1d87f130c10b884e6d66d() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('record', 'app_notes', NEW."id", NULL, json_build_object('id', OLD."id", 'owner_id', OLD."owner_id", 'folder_id', OLD."folder_id", 'title', OLD."title", 'is_done', OLD."is_done", 'state', OLD."state", 'count', OLD."count", 'ratio', OLD."ratio", 'price', CAST(OLD."price" AS TEXT), 'due_at', OLD."due_at", 'day', OLD."day", 'created_at', OLD."created_at", 'updated_at', OLD."updated_at"), json_build_object('id', NEW."id", 'owner_id', NEW."owner_id", 'folder_id', NEW."folder_id", 'title', NEW."title", 'is_done', NEW."is_done", 'state', NEW."state", 'count', NEW."count", 'ratio', NEW."ratio", 'price', CAST(NEW."price" AS TEXT), 'due_at', NEW."due_at", 'day', NEW."day", 'created_at', NEW."created_at", 'updated_at', NEW."updated_at"), CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_aae1d87f130c10b884e6d66d AFTER UPDATE ON "app_notes" FOR EACH ROW 
    EXECUTE FUNCTION live_append_aae1d87f130c10b884e6d66d();

    CREATE FUNCTION live_append_eda302ad0456615b35a0ab62() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN INSERT INTO live_changes (kind, entity, id, tenant_id, before, after, at) VALUES ('record', 'app_notes', OLD."id", NULL, json_build_object('id', OLD."id", 'owner_id', OLD."owner_id", 'folder_id', OLD."folder_id", 'title', OLD."title", 'is_done', OLD."is_done", 'state', OLD."state", 'count', OLD."count", 'ratio', OLD."ratio", 'price', CAST(OLD."price" AS TEXT), 'due_at', OLD."due_at", 'day', OLD."day", 'created_at', OLD."created_at", 'updated_at', OLD."updated_at"), NULL, CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)); RETURN NULL; END $body$;
    CREATE TRIGGER live_append_eda302ad0456615b35a0ab62 AFTER DELETE ON "app_notes" FOR EACH ROW 
    EXECUTE FUNCTION live_append_eda302ad0456615b35a0ab62();
CREATE TABLE things (id TEXT PRIMARY KEY);
DROP INDEX IF EXISTS "app_notes_e81ac55d260e";
CREATE UNIQUE INDEX "app_notes_e81ac55d260e" ON "app_notes" ("title");
DROP INDEX IF EXISTS "app_notes_6badcdd8ff3a";
CREATE UNIQUE INDEX "app_notes_6badcdd8ff3a" ON "app_notes" ("owner_id", "day");
CREATE TABLE IF NOT EXISTS auth_migrations (
    number BIGINT NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    checksum TEXT COLLATE "C" NOT NULL,
    applied_at BIGINT NOT NULL
  ) ;
SET session_replication_role = replica;
INSERT INTO "auth_migrations" (number, name, checksum, applied_at) OVERRIDING SYSTEM VALUE
      SELECT number, name, checksum, applied_at FROM json_populate_recordset(NULL::"auth_migrations", '[{"number":1,"name":"0001_initial","checksum":"59e4a0ffb20b59859bd2be72dbdffa749b9ca0a0151796a70292a1ae78eab0a7","applied_at":1767225600000}]');
INSERT INTO "auth_users" (id, email, login_email, email_verified, email_proven_at, password_hash, role, tenant_id, fields, created_at, updated_at, disabled_at, unfinished) OVERRIDING SYSTEM VALUE
      SELECT id, email, login_email, email_verified, email_proven_at, password_hash, role, tenant_id, fields, created_at, updated_at, disabled_at, unfinished FROM json_populate_recordset(NULL::"auth_users", '[{"id":"12183ca0-aa01-4d9a-b2dd-925351368a0f","email":"ada@example.com","login_email":"ada@example.com","email_verified":false,"email_proven_at":null,"password_hash":"$scrypt$ln=1,r=1,p=1$Q9MoZwkbxjNpv3oHND+rZQ$D2zrHkYrfcZEmvpLy0DRRvSL+a3aT3iCf3y2Ghu93C8","role":"user","tenant_id":null,"fields":{},"created_at":1767225600000,"updated_at":1767225600000,"disabled_at":null,"unfinished":null}, 
 {"id":"e35db60c-f8fe-4cb0-b1a6-9401ca6716e9","email":"grace@example.com","login_email":"grace@example.com","email_verified":false,"email_proven_at":null,"password_hash":"$scrypt$ln=1,r=1,p=1$undPwhiQ9mC7JjzHMMmaew$snRwc9TicEBiwCQ4gW9VfjNKJ3MyhkFu10mz0LZ6amE","role":"user","tenant_id":null,"fields":{},"created_at":1767225600000,"updated_at":1767225600000,"disabled_at":null,"unfinished":null}]');
INSERT INTO "auth_sessions" (id, user_id, refresh_token_hash, previous_token_hash, refresh_salt, generation, rotated_at, ip_address, user_agent, tenant_id, second_factor_at, authenticated_at, authenticated_by, ver, created_at, last_active_at, expires_at, revoked_at) OVERRIDING SYSTEM VALUE
      SELECT id, user_id, refresh_token_hash, previous_token_hash, refresh_salt, generation, rotated_at, ip_address, user_agent, tenant_id, second_factor_at, authenticated_at, authenticated_by, ver, created_at, last_active_at, expires_at, revoked_at FROM json_populate_recordset(NULL::"auth_sessions", '[{"id":"4590bee3-6533-48df-9e74-14c9e6a88246","user_id":"12183ca0-aa01-4d9a-b2dd-925351368a0f","refresh_token_hash":"4590bee3-6533-48df-9e74-14c9e6a88246.EVOpJwEtZQmKzFgN0BjwNLz1YgZIfoJ1Gq2i7Rm4Llg","previous_token_hash":null,"refresh_salt":"FktaywY7ayj7df6LqUTzi6_sksA-PAXK5Wmw6xcDQ3k","generation":0,"rotated_at":1767225600000,"ip_address":null,"user_agent":null,"tenant_id":null,"second_factor_at":null,"authenticated_at":1767225600000,"authenticated_by":"password","ver":0,"created_at":1767225600000,"last_active_at":1767225600000,"expires_at":1767830400000,"revoked_at":null}, 
 {"id":"fc4bf5f7-98b6-43ed-8b6c-cd3571348e98","user_id":"e35db60c-f8fe-4cb0-b1a6-9401ca6716e9","refresh_token_hash":"fc4bf5f7-98b6-43ed-8b6c-cd3571348e98.eMkKuQQAGvrDFrsw3wzmksvKfjBhuYr0jI3FJWJ6UnY","previous_token_hash":null,"refresh_salt":"_HCBfJM5dehHA2xAv7cMInIWHRniCoh-Ztm3wfNE_wQ","generation":0,"rotated_at":1767225600000,"ip_address":null,"user_agent":null,"tenant_id":null,"second_factor_at":null,"authenticated_at":1767225600000,"authenticated_by":"password","ver":0,"created_at":1767225600000,"last_active_at":1767225600000,"expires_at":1767830400000,"revoked_at":1767225600000}]');
INSERT INTO "auth_revocations" (seq, at, session_id, lowest_ver) OVERRIDING SYSTEM VALUE
      SELECT seq, at, session_id, lowest_ver FROM json_populate_recordset(NULL::"auth_revocations", '[{"seq":1,"at":"2026-11-29T21:42:05.094972+00:00","session_id":"fc4bf5f7-98b6-43ed-8b6c-cd3571348e98","lowest_ver":null}]');
SELECT setval(pg_get_serial_sequence('"auth_revocations"', 'seq'), (SELECT max(seq) FROM "auth_revocations"));
INSERT INTO "auth_rate_limits" (key, count, resets_at) OVERRIDING SYSTEM VALUE
      SELECT key, count, resets_at FROM json_populate_recordset(NULL::"auth_rate_limits", '[{"key":"signup:ada@example.com","count":1,"resets_at":1767229200000}, 
 {"key":"signup:grace@example.com","count":1,"resets_at":1767229200000}, 
 {"key":"key","count":1,"resets_at":1767225660000}]');
INSERT INTO "auth_events" (id, type, at, occurrences, user_id, tenant_id, session_id, ip_address, user_agent, detail) OVERRIDING SYSTEM VALUE
      SELECT id, type, at, occurrences, user_id, tenant_id, session_id, ip_address, user_agent, detail FROM json_populate_recordset(NULL::"auth_events", '[{"id":"e5d4c084-9f4a-4f2b-921c-7adddbdac86c","type":"user.created","at":1767225600000,"occurrences":1,"user_id":"12183ca0-aa01-4d9a-b2dd-925351368a0f","tenant_id":null,"session_id":"4590bee3-6533-48df-9e74-14c9e6a88246","ip_address":null,"user_agent":null,"detail":{}}, 
 {"id":"7c813e74-61ad-4041-b4da-a327d031f74b","type":"user.created","at":1767225600000,"occurrences":1,"user_id":"e35db60c-f8fe-4cb0-b1a6-9401ca6716e9","tenant_id":null,"session_id":"fc4bf5f7-98b6-43ed-8b6c-cd3571348e98","ip_address":null,"user_agent":null,"detail":{}}, 
 {"id":"716cf3d1-ac78-4b17-872a-c35afc49a8c7","type":"record.created","at":1767225600000,"occurrences":1,"user_id":null,"tenant_id":null,"session_id":null,"ip_address":null,"user_agent":null,"detail":{"entity":"notes","ids":["f15c1d9d-1e65-43d9-a69a-05176a2953ee"],"by":"12183ca0-aa01-4d9a-b2dd-925351368a0f"}}, 
 {"id":"90851942-c3f4-45d6-a1b9-97b449ba131a","type":"session.revoked","at":1767225600000,"occurrences":1,"user_id":"e35db60c-f8fe-4cb0-b1a6-9401ca6716e9","tenant_id":null,"session_id":"fc4bf5f7-98b6-43ed-8b6c-cd3571348e98","ip_address":null,"user_agent":null,"detail":{"reason":"sign_out","sessionIds":["fc4bf5f7-98b6-43ed-8b6c-cd3571348e98"]}}, 
 {"id":"825975f3-5a44-4158-a70d-b62499e16f18","type":"resource.attached","at":1767225600000,"occurrences":1,"user_id":null,"tenant_id":"acme","session_id":null,"ip_address":null,"user_agent":null,"detail":{"resource":{"type":"project","id":"p"},"parent":{"type":"organization","id":"acme"},"by":"12183ca0-aa01-4d9a-b2dd-925351368a0f"}}, 
 {"id":"b35ee612-f433-4139-a9e1-ec65473e0e59","type":"role.assigned","at":1767225600000,"occurrences":1,"user_id":null,"tenant_id":"acme","session_id":null,"ip_address":null,"user_agent":null,"detail":{"resource":{"type":"project","id":"p"},"role":"viewer","userId":"12183ca0-aa01-4d9a-b2dd-925351368a0f","by":"12183ca0-aa01-4d9a-b2dd-925351368a0f"}}, 
 {"id":"22f6bacb-9a4b-47c8-acd4-b4913e50be37","type":"role.assigned","at":1767225600000,"occurrences":1,"user_id":null,"tenant_id":"acme","session_id":null,"ip_address":null,"user_agent":null,"detail":{"groupId":"g","resource":{"type":"project","id":"p"},"role":"editor","by":"12183ca0-aa01-4d9a-b2dd-925351368a0f"}}, 
 {"id":"1565aaa1-2304-4ebd-9edd-edeac3427cd2","type":"group.member_added","at":1767225600000,"occurrences":1,"user_id":"12183ca0-aa01-4d9a-b2dd-925351368a0f","tenant_id":"acme","session_id":null,"ip_address":null,"user_agent":null,"detail":{"groupId":"g","by":"12183ca0-aa01-4d9a-b2dd-925351368a0f"}}, 
 {"id":"7430bb0e-9891-4059-8d95-a1b037053fb1","type":"group.member_added","at":1767225600000,"occurrences":1,"user_id":null,"tenant_id":"acme","session_id":null,"ip_address":null,"user_agent":null,"detail":{"groupId":"all","member":{"groupId":"g"},"by":"12183ca0-aa01-4d9a-b2dd-925351368a0f"}}, 
 {"id":"c712504e-958d-468c-a20e-1f9ac0d4112b","type":"flag.set","at":1767225600000,"occurrences":1,"user_id":null,"tenant_id":"acme","session_id":null,"ip_address":null,"user_agent":null,"detail":{"name":"beta","value":true,"by":"12183ca0-aa01-4d9a-b2dd-925351368a0f"}}, 
 {"id":"cf79dcdc-a7e6-425b-8820-3860932aaa9e","type":"flag.set","at":1767225600000,"occurrences":1,"user_id":null,"tenant_id":null,"session_id":null,"ip_address":null,"user_agent":null,"detail":{"name":"beta","value":false,"by":"12183ca0-aa01-4d9a-b2dd-925351368a0f"}}, 
 {"id":"fd7e1b7d-9c79-43f9-a1d9-c53904027284","type":"plan.assigned","at":1767225600000,"occurrences":1,"user_id":null,"tenant_id":"acme","session_id":null,"ip_address":null,"user_agent":null,"detail":{"plan":"pro","group":"base","startedAt":"2026-01-01T00:00:00.000Z","expiresAt":null,"by":"12183ca0-aa01-4d9a-b2dd-925351368a0f"}}, 
 {"id":"28c10db3-78e0-45d0-bf81-3a284078134d","type":"limits.raised","at":1767225600000,"occurrences":1,"user_id":null,"tenant_id":"acme","session_id":null,"ip_address":null,"user_agent":null,"detail":{"overrides":{"seats":5},"by":"12183ca0-aa01-4d9a-b2dd-925351368a0f"}}, 
 {"id":"8e01de3e-cc87-4c8b-8f9c-5f530bdce23a","type":"add_on.attached","at":1767225600000,"occurrences":1,"user_id":null,"tenant_id":"acme","session_id":null,"ip_address":null,"user_agent":null,"detail":{"addOn":"more","quantity":2,"by":"12183ca0-aa01-4d9a-b2dd-925351368a0f"}}]');
INSERT INTO "auth_counters" (name, value) OVERRIDING SYSTEM VALUE
      SELECT name, value FROM json_populate_recordset(NULL::"auth_counters", '[{"name":"orders","value":7}]');
INSERT INTO "auth_email_verifications" (user_id, token_hash, email, new_email, expires_at) OVERRIDING SYSTEM VALUE
      SELECT user_id, token_hash, email, new_email, expires_at FROM json_populate_recordset(NULL::"auth_email_verifications", '[{"user_id":"e35db60c-f8fe-4cb0-b1a6-9401ca6716e9","token_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","email":"grace@example.com","new_email":"g@example.com","expires_at":1767229200000}]');
INSERT INTO "auth_password_resets" (user_id, token_hash, email, new_email, expires_at) OVERRIDING SYSTEM VALUE
      SELECT user_id, token_hash, email, new_email, expires_at FROM json_populate_recordset(NULL::"auth_password_resets", '[{"user_id":"e35db60c-f8fe-4cb0-b1a6-9401ca6716e9","token_hash":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","email":"grace@example.com","new_email":null,"expires_at":1767229200000}]');
INSERT INTO "auth_one_time_ids" (hash, expires_at) OVERRIDING SYSTEM VALUE
      SELECT hash, expires_at FROM json_populate_recordset(NULL::"auth_one_time_ids", '[{"hash":"ccccccccccccccccccccccccccccccccccccccccccc","expires_at":1767229200000}]');
INSERT INTO "auth_mfa" (user_id, secret, pending_until, last_step, enabled_at, wrong_codes) OVERRIDING SYSTEM VALUE
      SELECT user_id, secret, pending_until, last_step, enabled_at, wrong_codes FROM json_populate_recordset(NULL::"auth_mfa", '[{"user_id":"e35db60c-f8fe-4cb0-b1a6-9401ca6716e9","secret":"secret","pending_until":1767229200000,"last_step":1000,"enabled_at":1767225600000,"wrong_codes":0}]');
INSERT INTO "auth_mfa_backup_codes" (user_id, code_hash) OVERRIDING SYSTEM VALUE
      SELECT user_id, code_hash FROM json_populate_recordset(NULL::"auth_mfa_backup_codes", '[{"user_id":"e35db60c-f8fe-4cb0-b1a6-9401ca6716e9","code_hash":"ddddddddddddddddddddddddddddddddddddddddddd"}]');
INSERT INTO "auth_oauth_accounts" (user_id, provider, provider_id, email) OVERRIDING SYSTEM VALUE
      SELECT user_id, provider, provider_id, email FROM json_populate_recordset(NULL::"auth_oauth_accounts", '[{"user_id":"e35db60c-f8fe-4cb0-b1a6-9401ca6716e9","provider":"google","provider_id":"1","email":"grace@example.com"}]');
INSERT INTO "auth_entity_tables" (name, head, state) OVERRIDING SYSTEM VALUE
      SELECT name, head, state FROM json_populate_recordset(NULL::"auth_entity_tables", E'[{"name":"folders","head":"47a59590eb6be54c59ef81ec53687895dcfef510fece30295a3d54c7863b8d37","state":"{\\"name\\":\\"folders\\",\\"table\\":\\"app_folders\\",\\"formerNames\\":[],\\"columns\\":[{\\"name\\":\\"name\\",\\"column\\":\\"name\\",\\"formerNames\\":[],\\"type\\":\\"text\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"createdAt\\",\\"column\\":\\"created_at\\",\\"formerNames\\":[],\\"type\\":\\"timestamp\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"updatedAt\\",\\"column\\":\\"updated_at\\",\\"formerNames\\":[],\\"type\\":\\"timestamp\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false}],\\"indexes\\":[]}"}, 
 {"name":"notes","head":"05392d3feb80cdec83e41054372d71c646bd027dc905853a7b5e76d42d73cc0c","state":"{\\"name\\":\\"notes\\",\\"table\\":\\"app_notes\\",\\"formerNames\\":[],\\"columns\\":[{\\"name\\":\\"ownerId\\",\\"column\\":\\"owner_id\\",\\"formerNames\\":[],\\"type\\":\\"text\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"folderId\\",\\"column\\":\\"folder_id\\",\\"formerNames\\":[],\\"type\\":\\"text\\",\\"decimal\\":null,\\"nullable\\":true,\\"references\\":{\\"table\\":\\"app_folders\\",\\"onDelete\\":\\"setNull\\"},\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"title\\",\\"column\\":\\"title\\",\\"formerNames\\":[],\\"type\\":\\"text\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"isDone\\",\\"column\\":\\"is_done\\",\\"formerNames\\":[],\\"type\\":\\"boolean\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"state\\",\\"column\\":\\"state\\",\\"formerNames\\":[],\\"type\\":\\"text\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":[\\"open\\",\\"held\\"],\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"count\\",\\"column\\":\\"count\\",\\"formerNames\\":[],\\"type\\":\\"integer\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"ratio\\",\\"column\\":\\"ratio\\",\\"formerNames\\":[],\\"type\\":\\"number\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"price\\",\\"column\\":\\"price\\",\\"formerNames\\":[],\\"type\\":\\"decimal\\",\\"decimal\\":{\\"precision\\":10,\\"scale\\":2},\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"dueAt\\",\\"column\\":\\"due_at\\",\\"formerNames\\":[],\\"type\\":\\"timestamp\\",\\"decimal\\":null,\\"nullable\\":true,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"day\\",\\"column\\":\\"day\\",\\"formerNames\\":[],\\"type\\":\\"date\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"labels\\",\\"column\\":\\"labels\\",\\"formerNames\\":[],\\"type\\":\\"json\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"createdAt\\",\\"column\\":\\"created_at\\",\\"formerNames\\":[],\\"type\\":\\"timestamp\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"updatedAt\\",\\"column\\":\\"updated_at\\",\\"formerNames\\":[],\\"type\\":\\"timestamp\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false}],\\"indexes\\":[{\\"columns\\":[\\"folder_id\\",\\"id\\"],\\"descending\\":[],\\"isUnique\\":false,\\"where\\":null},{\\"columns\\":[\\"owner_id\\",\\"count\\"],\\"descending\\":[\\"count\\"],\\"isUnique\\":false,\\"where\\":null},{\\"columns\\":[\\"due_at\\"],\\"descending\\":[],\\"isUnique\\":false,\\"where\\":\\"(\\\\\\"is_done\\\\\\" = FALSE)\\"},{\\"columns\\":[\\"title\\"],\\"descending\\":[],\\"isUnique\\":true,\\"where\\":null},{\\"columns\\":[\\"owner_id\\",\\"day\\"],\\"descending\\":[],\\"isUnique\\":true,\\"where\\":null}]}"}]');
INSERT INTO "auth_entity_declarations" (digest, parent, declared, content, declared_at) OVERRIDING SYSTEM VALUE
      SELECT digest, parent, declared, content, declared_at FROM json_populate_recordset(NULL::"auth_entity_declarations", E'[{"digest":"47a59590eb6be54c59ef81ec53687895dcfef510fece30295a3d54c7863b8d37","parent":null,"declared":"3fd7ec38e3a011e6d74eec1b1accb4614a492b9336e684159e18f89ae40c77a6","content":"{\\"name\\":\\"folders\\",\\"table\\":\\"app_folders\\",\\"formerNames\\":[],\\"columns\\":[{\\"name\\":\\"name\\",\\"column\\":\\"name\\",\\"formerNames\\":[],\\"type\\":\\"text\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"createdAt\\",\\"column\\":\\"created_at\\",\\"formerNames\\":[],\\"type\\":\\"timestamp\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"updatedAt\\",\\"column\\":\\"updated_at\\",\\"formerNames\\":[],\\"type\\":\\"timestamp\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false}],\\"indexes\\":[]}","declared_at":1767225600000}, 
 {"digest":"05392d3feb80cdec83e41054372d71c646bd027dc905853a7b5e76d42d73cc0c","parent":null,"declared":"81f9ca4fade78b806756b55b6c0aec2bbdf60bd82080f274f9ba7219242a681e","content":"{\\"name\\":\\"notes\\",\\"table\\":\\"app_notes\\",\\"formerNames\\":[],\\"columns\\":[{\\"name\\":\\"ownerId\\",\\"column\\":\\"owner_id\\",\\"formerNames\\":[],\\"type\\":\\"text\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"folderId\\",\\"column\\":\\"folder_id\\",\\"formerNames\\":[],\\"type\\":\\"text\\",\\"decimal\\":null,\\"nullable\\":true,\\"references\\":{\\"table\\":\\"app_folders\\",\\"onDelete\\":\\"setNull\\"},\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"title\\",\\"column\\":\\"title\\",\\"formerNames\\":[],\\"type\\":\\"text\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"isDone\\",\\"column\\":\\"is_done\\",\\"formerNames\\":[],\\"type\\":\\"boolean\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"state\\",\\"column\\":\\"state\\",\\"formerNames\\":[],\\"type\\":\\"text\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":[\\"open\\",\\"held\\"],\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"count\\",\\"column\\":\\"count\\",\\"formerNames\\":[],\\"type\\":\\"integer\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"ratio\\",\\"column\\":\\"ratio\\",\\"formerNames\\":[],\\"type\\":\\"number\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"price\\",\\"column\\":\\"price\\",\\"formerNames\\":[],\\"type\\":\\"decimal\\",\\"decimal\\":{\\"precision\\":10,\\"scale\\":2},\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"dueAt\\",\\"column\\":\\"due_at\\",\\"formerNames\\":[],\\"type\\":\\"timestamp\\",\\"decimal\\":null,\\"nullable\\":true,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"day\\",\\"column\\":\\"day\\",\\"formerNames\\":[],\\"type\\":\\"date\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"labels\\",\\"column\\":\\"labels\\",\\"formerNames\\":[],\\"type\\":\\"json\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"createdAt\\",\\"column\\":\\"created_at\\",\\"formerNames\\":[],\\"type\\":\\"timestamp\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false},{\\"name\\":\\"updatedAt\\",\\"column\\":\\"updated_at\\",\\"formerNames\\":[],\\"type\\":\\"timestamp\\",\\"decimal\\":null,\\"nullable\\":false,\\"references\\":null,\\"values\\":null,\\"initial\\":null,\\"replaces\\":null,\\"isDropped\\":false}],\\"indexes\\":[{\\"columns\\":[\\"title\\"],\\"descending\\":[],\\"isUnique\\":true,\\"where\\":null},{\\"columns\\":[\\"owner_id\\",\\"day\\"],\\"descending\\":[],\\"isUnique\\":true,\\"where\\":null},{\\"columns\\":[\\"folder_id\\",\\"id\\"],\\"descending\\":[],\\"isUnique\\":false,\\"where\\":null},{\\"columns\\":[\\"owner_id\\",\\"count\\"],\\"descending\\":[\\"count\\"],\\"isUnique\\":false,\\"where\\":null},{\\"columns\\":[\\"due_at\\"],\\"descending\\":[],\\"isUnique\\":false,\\"where\\":\\"(\\\\\\"is_done\\\\\\" = FALSE)\\"}]}","declared_at":1767225600000}]');
INSERT INTO "auth_own_migrations" (id, applied_at) OVERRIDING SYSTEM VALUE
      SELECT id, applied_at FROM json_populate_recordset(NULL::"auth_own_migrations", '[{"id":"2026-01-things","applied_at":1767225600000}]');
INSERT INTO "access_role_assignments" (holder, resource_type, resource_id, role, granted_by, granted_at) OVERRIDING SYSTEM VALUE
      SELECT holder, resource_type, resource_id, role, granted_by, granted_at FROM json_populate_recordset(NULL::"access_role_assignments", '[{"holder":"user:12183ca0-aa01-4d9a-b2dd-925351368a0f","resource_type":"project","resource_id":"p","role":"viewer","granted_by":"12183ca0-aa01-4d9a-b2dd-925351368a0f","granted_at":1767225600000}, 
 {"holder":"group:g","resource_type":"project","resource_id":"p","role":"editor","granted_by":"12183ca0-aa01-4d9a-b2dd-925351368a0f","granted_at":1767225600000}]');
INSERT INTO "access_edges" (child_type, child_id, parent_type, parent_id) OVERRIDING SYSTEM VALUE
      SELECT child_type, child_id, parent_type, parent_id FROM json_populate_recordset(NULL::"access_edges", '[{"child_type":"project","child_id":"p","parent_type":"organization","parent_id":"acme"}]');
INSERT INTO "access_closure" (descendant_type, descendant_id, ancestor_type, ancestor_id, via_type, via_id, depth) OVERRIDING SYSTEM VALUE
      SELECT descendant_type, descendant_id, ancestor_type, ancestor_id, via_type, via_id, depth FROM json_populate_recordset(NULL::"access_closure", '[{"descendant_type":"project","descendant_id":"p","ancestor_type":"organization","ancestor_id":"acme","via_type":"project","via_id":"p","depth":1}]');
INSERT INTO "access_groups" (group_id, tenant_id) OVERRIDING SYSTEM VALUE
      SELECT group_id, tenant_id FROM json_populate_recordset(NULL::"access_groups", '[{"group_id":"g","tenant_id":"acme"}, 
 {"group_id":"all","tenant_id":"acme"}]');
INSERT INTO "access_memberships" (child_type, child_id, parent_type, parent_id) OVERRIDING SYSTEM VALUE
      SELECT child_type, child_id, parent_type, parent_id FROM json_populate_recordset(NULL::"access_memberships", '[{"child_type":"user","child_id":"12183ca0-aa01-4d9a-b2dd-925351368a0f","parent_type":"group","parent_id":"g"}, 
 {"child_type":"group","child_id":"g","parent_type":"group","parent_id":"all"}]');
INSERT INTO "access_group_closure" (descendant_type, descendant_id, ancestor_type, ancestor_id, via_type, via_id, depth) OVERRIDING SYSTEM VALUE
      SELECT descendant_type, descendant_id, ancestor_type, ancestor_id, via_type, via_id, depth FROM json_populate_recordset(NULL::"access_group_closure", '[{"descendant_type":"user","descendant_id":"12183ca0-aa01-4d9a-b2dd-925351368a0f","ancestor_type":"group","ancestor_id":"g","via_type":"user","via_id":"12183ca0-aa01-4d9a-b2dd-925351368a0f","depth":1}, 
 {"descendant_type":"group","descendant_id":"g","ancestor_type":"group","ancestor_id":"all","via_type":"group","via_id":"g","depth":1}, 
 {"descendant_type":"user","descendant_id":"12183ca0-aa01-4d9a-b2dd-925351368a0f","ancestor_type":"group","ancestor_id":"all","via_type":"group","via_id":"g","depth":2}]');
INSERT INTO "access_flags" (tenant_id, name, value) OVERRIDING SYSTEM VALUE
      SELECT tenant_id, name, value FROM json_populate_recordset(NULL::"access_flags", '[{"tenant_id":"acme","name":"beta","value":true}, 
 {"tenant_id":null,"name":"beta","value":false}]');
INSERT INTO "access_subscriptions" (tenant_id, plan_group, plan_name, started_at, expires_at) OVERRIDING SYSTEM VALUE
      SELECT tenant_id, plan_group, plan_name, started_at, expires_at FROM json_populate_recordset(NULL::"access_subscriptions", '[{"tenant_id":"acme","plan_group":"base","plan_name":"pro","started_at":1767225600000,"expires_at":null}]');
INSERT INTO "access_add_ons" (tenant_id, add_on, quantity) OVERRIDING SYSTEM VALUE
      SELECT tenant_id, add_on, quantity FROM json_populate_recordset(NULL::"access_add_ons", '[{"tenant_id":"acme","add_on":"more","quantity":2}]');
INSERT INTO "access_overrides" (tenant_id, name, max_allowed) OVERRIDING SYSTEM VALUE
      SELECT tenant_id, name, max_allowed FROM json_populate_recordset(NULL::"access_overrides", '[{"tenant_id":"acme","name":"seats","max_allowed":5}]');
INSERT INTO "access_wallets" (tenant_id, limit_name, period_start, consumed) OVERRIDING SYSTEM VALUE
      SELECT tenant_id, limit_name, period_start, consumed FROM json_populate_recordset(NULL::"access_wallets", '[{"tenant_id":"acme","limit_name":"exports","period_start":1767225600000,"consumed":1}]');
INSERT INTO "access_consumptions" (tenant_id, receipt_id, idempotency_key, entries, changed_at) OVERRIDING SYSTEM VALUE
      SELECT tenant_id, receipt_id, idempotency_key, entries, changed_at FROM json_populate_recordset(NULL::"access_consumptions", '[{"tenant_id":"acme","receipt_id":"r","idempotency_key":"k","entries":[{"limit":"exports","periodStart":1767225600000,"amount":1}],"changed_at":1767225600000}]');
INSERT INTO "live_changes" (xid, seq, kind, entity, id, tenant_id, before, after, at) OVERRIDING SYSTEM VALUE
      SELECT xid, seq, kind, entity, id, tenant_id, before, after, at FROM json_populate_recordset(NULL::"live_changes", '[{"xid":"785","seq":1,"kind":"record","entity":"app_folders","id":"179248ec-919e-453a-88d5-0d393a983128","tenant_id":null,"before":null,"after":{"id" : "179248ec-919e-453a-88d5-0d393a983128", "name" : "Notes", "created_at" : 1767225600000, "updated_at" : 1767225600000},"at":1795988525084}, 
 {"xid":"786","seq":2,"kind":"record","entity":"app_notes","id":"f15c1d9d-1e65-43d9-a69a-05176a2953ee","tenant_id":null,"before":null,"after":{"id" : "f15c1d9d-1e65-43d9-a69a-05176a2953ee", "owner_id" : "12183ca0-aa01-4d9a-b2dd-925351368a0f", "folder_id" : "179248ec-919e-453a-88d5-0d393a983128", "title" : "Über", "is_done" : false, "state" : "held", "count" : 9007199254740991, "ratio" : 0.1, "price" : "12.50", "due_at" : 1769860800123, "day" : "2026-01-31", "created_at" : 1767225600000, "updated_at" : 1767225600000},"at":1795988525089}, 
 {"xid":"788","seq":3,"kind":"record","entity":"app_folders","id":"179248ec-919e-453a-88d5-0d393a983128","tenant_id":null,"before":{"id" : "179248ec-919e-453a-88d5-0d393a983128", "name" : "Notes", "created_at" : 1767225600000, "updated_at" : 1767225600000},"after":{"id" : "179248ec-919e-453a-88d5-0d393a983128", "name" : "All notes", "created_at" : 1767225600000, "updated_at" : 1767225600000},"at":1795988525092}, 
 {"xid":"789","seq":4,"kind":"session","entity":"session","id":"fc4bf5f7-98b6-43ed-8b6c-cd3571348e98","tenant_id":null,"before":{"userId" : "e35db60c-f8fe-4cb0-b1a6-9401ca6716e9", "ver" : 0, "isEnded" : false},"after":{"userId" : "e35db60c-f8fe-4cb0-b1a6-9401ca6716e9", "ver" : 0, "isEnded" : true},"at":1795988525095}, 
 {"xid":"798","seq":5,"kind":"hierarchy","entity":"project","id":"p","tenant_id":null,"before":null,"after":{"parentType" : "organization", "parentId" : "acme"},"at":1795988525108}, 
 {"xid":"799","seq":6,"kind":"role","entity":"project","id":"p","tenant_id":null,"before":null,"after":{"userId" : "12183ca0-aa01-4d9a-b2dd-925351368a0f", "groupId" : null, "role" : "viewer"},"at":1795988525111}, 
 {"xid":"800","seq":7,"kind":"role","entity":"project","id":"p","tenant_id":null,"before":null,"after":{"userId" : null, "groupId" : "g", "role" : "editor"},"at":1795988525112}, 
 {"xid":"801","seq":8,"kind":"membership","entity":"group","id":"g","tenant_id":null,"before":null,"after":{"userId" : "12183ca0-aa01-4d9a-b2dd-925351368a0f", "groupId" : null},"at":1795988525115}, 
 {"xid":"802","seq":9,"kind":"membership","entity":"group","id":"all","tenant_id":null,"before":null,"after":{"userId" : null, "groupId" : "g"},"at":1795988525119}, 
 {"xid":"803","seq":10,"kind":"flag","entity":"flag","id":"beta","tenant_id":"acme","before":null,"after":{"value" : true},"at":1795988525122}, 
 {"xid":"804","seq":11,"kind":"flag","entity":"flag","id":"beta","tenant_id":null,"before":null,"after":{"value" : false},"at":1795988525123}, 
 {"xid":"805","seq":12,"kind":"plan","entity":"plan","id":"base","tenant_id":"acme","before":null,"after":{"planName" : "pro"},"at":1795988525125}, 
 {"xid":"806","seq":13,"kind":"override","entity":"override","id":"seats","tenant_id":"acme","before":null,"after":{"max" : 5},"at":1795988525126}, 
 {"xid":"807","seq":14,"kind":"addOn","entity":"addOn","id":"more","tenant_id":"acme","before":null,"after":{"quantity" : 2},"at":1795988525128}, 
 {"xid":"810","seq":15,"kind":"subscription","entity":"s","id":"notes","tenant_id":null,"before":null,"after":{"from":"810.0"},"at":1795988525134}]');
SELECT setval(pg_get_serial_sequence('"live_changes"', 'seq'), (SELECT max(seq) FROM "live_changes"));
INSERT INTO "live_streams" (id, user_id, open_until) OVERRIDING SYSTEM VALUE
      SELECT id, user_id, open_until FROM json_populate_recordset(NULL::"live_streams", '[{"id":"s","user_id":"12183ca0-aa01-4d9a-b2dd-925351368a0f","open_until":1767225660000}]');
INSERT INTO "live_subscriptions" (stream_id, id, query) OVERRIDING SYSTEM VALUE
      SELECT stream_id, id, query FROM json_populate_recordset(NULL::"live_subscriptions", '[{"stream_id":"s","id":"notes","query":{"entity":"notes"}}]');
INSERT INTO "app_folders" (id, _version, name, created_at, updated_at) OVERRIDING SYSTEM VALUE
      SELECT id, _version, name, created_at, updated_at FROM json_populate_recordset(NULL::"app_folders", '[{"id":"179248ec-919e-453a-88d5-0d393a983128","_version":2,"name":"All notes","created_at":1767225600000,"updated_at":1767225600000}]');
INSERT INTO "app_notes" (id, _version, owner_id, folder_id, title, is_done, state, count, ratio, price, due_at, day, labels, created_at, updated_at) OVERRIDING SYSTEM VALUE
      SELECT id, _version, owner_id, folder_id, title, is_done, state, count, ratio, price, due_at, day, labels, created_at, updated_at FROM json_populate_recordset(NULL::"app_notes", '[{"id":"f15c1d9d-1e65-43d9-a69a-05176a2953ee","_version":1,"owner_id":"12183ca0-aa01-4d9a-b2dd-925351368a0f","folder_id":"179248ec-919e-453a-88d5-0d393a983128","title":"Über","is_done":false,"state":"held","count":9007199254740991,"ratio":0.1,"price":12.50,"due_at":1769860800123,"day":"2026-01-31","labels":{"a":[1,"two",null]},"created_at":1767225600000,"updated_at":1767225600000}]');
INSERT INTO "things" (id) OVERRIDING SYSTEM VALUE
      SELECT id FROM json_populate_recordset(NULL::"things", '[{"id":"a"}]');
RESET session_replication_role;
