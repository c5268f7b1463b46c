/** Never edited once a version that contains it is published. */
export default `CREATE TABLE auth_users (
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

-- The tables of the app's entities as they are now, as JSON. \`head\` is the digest of the declaration they follow.
CREATE TABLE auth_entity_tables (
  name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  head TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL
);

-- The history of each table: the digest of a declaration includes that of the one before. A start finds its own by
-- \`declared\`, and in \`content\` which columns its names mean.
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
  -- \`user:\` or \`group:\`, and the id.
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

-- The members of groups, \`user\` or \`group\`, as edges to their \`group\`; and every edge above each member.
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
`;
