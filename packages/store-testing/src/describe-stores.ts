import { refuseUnknownOptions } from '@x/errors';
import type { TransactionStores } from '@x/store';
import { describe } from 'vitest';
import { describeFlags } from './access/flags.suite.ts';
import { describeGroups } from './access/groups.suite.ts';
import { describeHierarchy } from './access/hierarchy.suite.ts';
import { describeRoleAssignments } from './access/role-assignments.suite.ts';
import { describeSubscriptions } from './access/subscriptions.suite.ts';
import { describeTenantSnapshots } from './access/tenant-snapshots.suite.ts';
import { describeWallets } from './access/wallets.suite.ts';
import { describeMailTokens } from './auth/mail-tokens.suite.ts';
import { describeMfa } from './auth/mfa.suite.ts';
import { describeOAuthAccounts } from './auth/oauth-accounts.suite.ts';
import { describeOneTimeIds } from './auth/one-time-ids.suite.ts';
import { describeRateLimits } from './auth/rate-limits.suite.ts';
import { describeRateLimitTransactions } from './auth/rate-limit-transactions.suite.ts';
import { describeSessions } from './auth/sessions.suite.ts';
import { describeUserChanges } from './auth/user-changes.suite.ts';
import { describeUsers } from './auth/users.suite.ts';
import { describeChanges } from './changes.suite.ts';
import { describeCounters } from './counters.suite.ts';
import { describeEntities } from './entity/entities.suite.ts';
import { describeEvents } from './events.suite.ts';
import { describeLiveStreams } from './live-streams.suite.ts';
import { createStoreTest, type StoreEngine, type StoreTest } from './store-test.ts';
import { describeLifecycle } from './stores/lifecycle.suite.ts';
import { describeOwnSql } from './stores/own-sql.suite.ts';
import { describeRevocationListeners } from './stores/revocation-listeners.suite.ts';
import { describeServerTime } from './stores/server-time.suite.ts';
import { describeTransactions } from './stores/transactions.suite.ts';
import { describeUnstorableTexts } from './stores/unstorable-texts.suite.ts';

/** What to run, and how thoroughly. */
export interface DescribeStoresOptions {
  /** How many times over the repeated and generated tests run; 1 by default. */
  readonly rounds?: number;
  /**
   * The suites to run; all by default. To test one store of your own, let the engine put it into other stores with
   * `composeStores`.
   */
  readonly only?: readonly SuiteName[];
}

/** A suite: that of one store, or of what all stores of a database do together. */
export type SuiteName =
  | Exclude<keyof TransactionStores, 'emailVerifications' | 'passwordResets' | 'transaction' | 'lock' | 'raw'>
  | 'mailTokens'
  | 'unstorableTexts'
  | 'transactions'
  | 'revocationListeners'
  | 'lifecycle'
  | 'serverTime';

/**
 * Describes, as a Vitest suite, all that the store contracts promise, for one engine.
 *
 * @throws ConfigurationError for a suite that does not exist
 * @example
 * ```ts
 * describeStores('memory', {
 *   createDatabase: async () => {
 *     const path = createTemporaryPath();
 *     return { open: async (clock) => openStores(path, clock), drop: async () => removeFile(path) };
 *   },
 * });
 * ```
 */
export function describeStores(name: string, engine: StoreEngine, options: DescribeStoresOptions = {}): void {
  refuseUnknownOptions(options, { rounds: true, only: true }, 'describeStores');
  const { rounds = 1, only } = options;
  if (only) refuseUnknownOptions(Object.fromEntries(only.map((each) => [each, true])), allSuites, 'only');
  const chosen = Object.entries(suites).filter(([each]) => !only || only.some((wanted) => wanted === each));
  describe(`${name} stores`, { timeout: 120_000 * rounds }, () => {
    const it = createStoreTest(engine, rounds);
    for (const [, describeSuite] of chosen) describeSuite(it, engine);
  });
}

const suites: Readonly<Record<SuiteName, (it: StoreTest, engine: StoreEngine) => void>> = {
  users(it) {
    describeUsers(it);
    describeUserChanges(it);
  },
  sessions: describeSessions,
  rateLimits: describeRateLimits,
  events: describeEvents,
  counters: describeCounters,
  mailTokens: describeMailTokens,
  oneTimeIds: describeOneTimeIds,
  mfa: describeMfa,
  oauthAccounts: describeOAuthAccounts,
  entities: describeEntities,
  roleAssignments: describeRoleAssignments,
  groups: describeGroups,
  hierarchy: describeHierarchy,
  flags: describeFlags,
  subscriptions: describeSubscriptions,
  wallets: describeWallets,
  tenantSnapshots: describeTenantSnapshots,
  changes: describeChanges,
  liveStreams: describeLiveStreams,
  unstorableTexts: describeUnstorableTexts,
  transactions(it) {
    describeTransactions(it);
    describeRateLimitTransactions(it);
  },
  sql: describeOwnSql,
  revocationListeners: describeRevocationListeners,
  lifecycle: describeLifecycle,
  serverTime: describeServerTime,
};

const allSuites: Readonly<Record<string, true>> = Object.fromEntries(
  Object.keys(suites).map((each) => [each, true] as const),
);
