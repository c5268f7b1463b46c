/** Never edited once a version that contains it is published. */
export default `CREATE TABLE auth_users (
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

CREATE INDEX auth_users_created_at ON auth_users (created_at DESC, id);

CREATE INDEX auth_users_email ON auth_users (email, id);

CREATE INDEX auth_users_unfinished ON auth_users (id) WHERE unfinished IS NOT NULL;

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

-- A user's active sessions are one range of it; the cascade from auth_users walks it too.
CREATE INDEX auth_sessions_user ON auth_sessions (user_id, revoked_at, expires_at);

-- The order in which sessions that ended are pruned.
CREATE INDEX auth_sessions_end ON auth_sessions (COALESCE(revoked_at, expires_at), id);

CREATE TABLE auth_rate_limits (
  key TEXT NOT NULL PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count >= 0),
  resets_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX auth_rate_limits_resets_at ON auth_rate_limits (resets_at);

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

CREATE INDEX auth_events_user ON auth_events (user_id, at DESC, id) WHERE user_id IS NOT NULL;

CREATE INDEX auth_events_tenant ON auth_events (tenant_id, at DESC, id) WHERE tenant_id IS NOT NULL;

CREATE INDEX auth_events_at ON auth_events (at, id);

-- Events of some types are pruned earlier.
CREATE INDEX auth_events_type ON auth_events (type, at, id);

CREATE TABLE auth_counters (
  name TEXT NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A user has one token of a kind at most.
CREATE TABLE auth_email_verifications (
  user_id TEXT NOT NULL PRIMARY KEY REFERENCES auth_users (id) ON DELETE CASCADE,
  token_hash TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  new_email TEXT,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX auth_email_verifications_end ON auth_email_verifications (expires_at, user_id);

CREATE TABLE auth_password_resets (
  user_id TEXT NOT NULL PRIMARY KEY REFERENCES auth_users (id) ON DELETE CASCADE,
  token_hash TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  new_email TEXT,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX auth_password_resets_end ON auth_password_resets (expires_at, user_id);

CREATE TABLE auth_one_time_ids (
  hash TEXT NOT NULL PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX auth_one_time_ids_end ON auth_one_time_ids (expires_at);

-- A user has one second factor at most: it waits for its first code, or it is on.
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

-- An identity at a provider signs one user in.
CREATE TABLE auth_oauth_accounts (
  user_id TEXT NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  email TEXT,
  PRIMARY KEY (provider, provider_id)
) STRICT;

CREATE INDEX auth_oauth_accounts_user ON auth_oauth_accounts (user_id, provider, provider_id);

-- The tables of the app's entities as they are now, as JSON. \`head\` is the digest of the declaration they follow.
CREATE TABLE auth_entity_tables (
  name TEXT NOT NULL PRIMARY KEY,
  head TEXT NOT NULL,
  state TEXT NOT NULL
) STRICT;

-- The history of each table: the digest of a declaration includes that of the one before. A start finds its own by
-- \`declared\`, and in \`content\` which columns its names mean.
CREATE TABLE auth_entity_declarations (
  digest TEXT NOT NULL PRIMARY KEY,
  parent TEXT,
  declared TEXT NOT NULL,
  content TEXT NOT NULL,
  declared_at INTEGER NOT NULL
) STRICT;

-- The migrations of the app that were applied.
CREATE TABLE auth_own_migrations (
  id TEXT NOT NULL PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE access_role_assignments (
  -- \`user:\` or \`group:\`, and the id.
  holder TEXT NOT NULL,
  resource_type TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  role TEXT NOT NULL,
  -- The user who assigned it; null for the app itself.
  granted_by TEXT,
  granted_at INTEGER NOT NULL,
  PRIMARY KEY (holder, resource_type, resource_id, role)
) STRICT, WITHOUT ROWID;

-- The roles of a user or a group on resources of one type.
CREATE INDEX access_role_assignments_kind ON access_role_assignments (holder, resource_type, role, resource_id);

-- The holders of a role on a resource, in the order of their ids.
CREATE INDEX access_role_assignments_resource ON access_role_assignments (resource_type, resource_id, role, holder);

CREATE INDEX access_role_assignments_grantor ON access_role_assignments (granted_by) WHERE granted_by IS NOT NULL;

CREATE TABLE access_edges (
  child_type TEXT NOT NULL,
  child_id TEXT NOT NULL,
  parent_type TEXT NOT NULL,
  parent_id TEXT NOT NULL,
  PRIMARY KEY (child_type, child_id, parent_type, parent_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX access_edges_parent ON access_edges (parent_type, parent_id, child_type, child_id);

-- Each resource with every edge above it, from a resource to its parent (the ancestor), and with the length of the
-- longest path that ends with the edge. So everything above a resource, with its paths, is one range.
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

CREATE INDEX access_closure_ancestor ON access_closure (ancestor_type, ancestor_id, descendant_type, descendant_id);

-- The tenant of each group.
CREATE TABLE access_groups (
  group_id TEXT NOT NULL PRIMARY KEY,
  tenant_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The members of groups, \`user\` or \`group\`, as edges to their \`group\`; and every edge above each member.
CREATE TABLE access_memberships (
  child_type TEXT NOT NULL,
  child_id TEXT NOT NULL,
  parent_type TEXT NOT NULL,
  parent_id TEXT NOT NULL,
  PRIMARY KEY (child_type, child_id, parent_type, parent_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX access_memberships_group ON access_memberships (parent_type, parent_id, child_type, child_id);

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

CREATE INDEX access_group_closure_group ON access_group_closure (ancestor_type, ancestor_id, descendant_type, descendant_id);

-- A flag without a tenant counts for all tenants without a flag of this name.
CREATE TABLE access_flags (
  tenant_id TEXT,
  name TEXT NOT NULL,
  value INTEGER NOT NULL CHECK (value IN (0, 1))
) STRICT;

CREATE UNIQUE INDEX access_flags_tenant ON access_flags (name, tenant_id) WHERE tenant_id IS NOT NULL;

CREATE UNIQUE INDEX access_flags_all ON access_flags (name) WHERE tenant_id IS NULL;

-- The base plan of a tenant in each group of plans.
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

-- The least limits of a tenant; -1 is unlimited.
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

-- Uses that must not be counted again (they have a key), or not be taken back again (they have no key any more).
CREATE TABLE access_consumptions (
  tenant_id TEXT NOT NULL,
  receipt_id TEXT NOT NULL,
  idempotency_key TEXT,
  entries TEXT NOT NULL CHECK (json_type(entries) = 'array'),
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, receipt_id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX access_consumptions_key ON access_consumptions (tenant_id, idempotency_key)
WHERE idempotency_key IS NOT NULL;

CREATE INDEX access_consumptions_age ON access_consumptions (changed_at, tenant_id, receipt_id);

-- The feed of changes: see its contract. Rows are deleted after some minutes.
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

-- The streams of browsers, with their subscriptions. A browser can resume a closed stream until it is pruned.
CREATE TABLE live_streams (
  id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  open_until INTEGER NOT NULL
) STRICT;

CREATE INDEX live_streams_user ON live_streams (user_id, open_until);

CREATE INDEX live_streams_end ON live_streams (open_until, id);

CREATE TABLE live_subscriptions (
  stream_id TEXT NOT NULL REFERENCES live_streams (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  query TEXT NOT NULL,
  PRIMARY KEY (stream_id, id)
) STRICT;
`;
