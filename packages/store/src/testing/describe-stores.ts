import { describe } from 'vitest';
import { describeFlags } from './access/flags.suite.ts';
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
import { describeSessions } from './auth/sessions.suite.ts';
import { describeUserChanges } from './auth/user-changes.suite.ts';
import { describeUsers } from './auth/users.suite.ts';
import { describeCounters } from './counters.suite.ts';
import { describeEntities } from './entity/entities.suite.ts';
import { describeEvents } from './events.suite.ts';
import { createStoreTest, type StoreEngine } from './store-test.ts';
import { describeLifecycle } from './stores/lifecycle.suite.ts';
import { describeRevocationListeners } from './stores/revocation-listeners.suite.ts';
import { describeServerTime } from './stores/server-time.suite.ts';
import { describeTransactions } from './stores/transactions.suite.ts';
import { describeUnstorableTexts } from './stores/unstorable-texts.suite.ts';

/** How thoroughly the suites run. */
export interface DescribeStoresOptions {
  /** How many times over the repeated and generated tests run; 1 by default. */
  readonly rounds?: number;
}

/**
 * Describes, as a Vitest suite, all that the store contracts promise, for one engine.
 *
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
export function describeStores(name: string, engine: StoreEngine, { rounds = 1 }: DescribeStoresOptions = {}): void {
  describe(`${name} stores`, { timeout: 20_000 * rounds }, () => {
    const it = createStoreTest(engine, rounds);
    describeUsers(it);
    describeUserChanges(it);
    describeSessions(it);
    describeRateLimits(it);
    describeEvents(it);
    describeCounters(it);
    describeMailTokens(it);
    describeOneTimeIds(it);
    describeMfa(it);
    describeOAuthAccounts(it);
    describeEntities(it);
    describeRoleAssignments(it);
    describeHierarchy(it);
    describeFlags(it);
    describeSubscriptions(it);
    describeWallets(it);
    describeTenantSnapshots(it);
    describeUnstorableTexts(it);
    describeTransactions(it);
    describeRevocationListeners(it);
    describeLifecycle(it);
    describeServerTime(it);
  });
}
