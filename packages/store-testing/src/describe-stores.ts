import { refuseUnknownOptions } from '@x/errors';
import type { StepStores } from '@x/store';
import { describe } from 'vitest';
import { describeFlags, describeFlagRaces } from './access/flags.suite.ts';
import { describeGroups, describeGroupRaces } from './access/groups.suite.ts';
import { describeHierarchyRaces } from './access/hierarchy-races.suite.ts';
import { describeHierarchy } from './access/hierarchy.suite.ts';
import { describeRoleAssignments, describeRoleAssignmentRaces } from './access/role-assignments.suite.ts';
import { describeSubscriptions } from './access/subscriptions.suite.ts';
import { describeTenantSnapshots } from './access/tenant-snapshots.suite.ts';
import { describeWalletRaces } from './access/wallet-races.suite.ts';
import { describeWallets } from './access/wallets.suite.ts';
import { describeAccountRaces } from './auth/account-races.suite.ts';
import { describeMailTokenRaces } from './auth/mail-token-races.suite.ts';
import { describeMailTokens } from './auth/mail-tokens.suite.ts';
import { describeMfaRaces } from './auth/mfa-races.suite.ts';
import { describeMfa } from './auth/mfa.suite.ts';
import { describeOAuthAccountRaces } from './auth/oauth-account-races.suite.ts';
import { describeOAuthAccounts } from './auth/oauth-accounts.suite.ts';
import { describeOneTimeIds, describeOneTimeIdRaces } from './auth/one-time-ids.suite.ts';
import { describeRateLimitRaces } from './auth/rate-limit-races.suite.ts';
import { describeRateLimits } from './auth/rate-limits.suite.ts';
import { describeRateLimitTransactions } from './auth/rate-limit-transactions.suite.ts';
import { describeSessionRaces } from './auth/session-races.suite.ts';
import { describeSessions } from './auth/sessions.suite.ts';
import { describeUserChanges } from './auth/user-changes.suite.ts';
import { describeUserRaces } from './auth/user-races.suite.ts';
import { describeUsers } from './auth/users.suite.ts';
import { describeChanges, describeChangeRaces } from './changes.suite.ts';
import { describeCounters, describeCounterRaces } from './counters.suite.ts';
import { describeEntities } from './entity/entities.suite.ts';
import { describeEntityRaces } from './entity/entity-races.suite.ts';
import { describeEvents, describeEventRaces } from './events.suite.ts';
import { describeLiveStreams, describeLiveStreamRaces } from './live-streams.suite.ts';
import { mailTokenKinds } from './sample-records.ts';
import { createStoreTest, type StoreEngine, type StoreTest } from './store-test.ts';
import { describeLifecycle } from './stores/lifecycle.suite.ts';
import { describeAppSql } from './stores/app-sql.suite.ts';
import { describeRecorded } from './stores/recorded.suite.ts';
import { describeRevocationListeners } from './stores/revocation-listeners.suite.ts';
import { describeServerTime } from './stores/server-time.suite.ts';
import { describeTransactions } from './stores/transactions.suite.ts';
import { describeTransactionRaces } from './stores/transaction-races.suite.ts';
import { describeUnstorableTexts } from './stores/unstorable-texts.suite.ts';

/** The tests to run, and how thoroughly. */
export interface DescribeStoresOptions {
  /** How many times over the repeated and generated tests run; 1 by default. */
  readonly rounds?: number;
  /**
   * The suites to run; all by default. To test one store of your own, let the engine put it into other stores with
   * `composeStores`.
   */
  readonly only?: readonly SuiteName[];
  /** The part of the contract to run, so that several files share it; all by default. */
  readonly part?: SuitePart;
  /**
   * `steps` follow one after another, or meet where a test lets them. `races` are what four processes do at once, with
   * up to 200 calls at a time. Default: both.
   */
  readonly tests?: 'steps' | 'races';
}

/** A suite: that of one store, or of what all stores of a database do together. */
export type SuiteName =
  | Exclude<keyof StepStores, 'emailVerifications' | 'passwordResets'>
  | 'sql'
  | 'mailTokens'
  | 'recorded'
  | 'unstorableTexts'
  | 'transactions'
  | 'revocationListeners'
  | 'lifecycle'
  | 'serverTime';

/** A part of the contract, for a file of tests of its own. */
export type SuitePart = 'auth' | 'access' | 'database';

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
  refuseUnknownOptions(options, { rounds: true, only: true, part: true, tests: true }, 'describeStores');
  const { rounds = 1, only, part, tests } = options;
  if (only) refuseUnknownOptions(Object.fromEntries(only.map((each) => [each, true])), suites, 'only');
  const chosen = Object.entries(suites).filter(
    ([each, suite]) => (!only || only.some((wanted) => wanted === each)) && (!part || part === suite.part),
  );
  describe(`${name} stores`, { timeout: 120_000 * rounds }, () => {
    const it = createStoreTest(engine, rounds);
    if (tests !== 'races') for (const [, { steps }] of chosen) steps(it, engine);
    if (tests === 'steps') return;
    for (const [each, { races }] of chosen.filter(([, suite]) => suite.races)) {
      describe(`${each} that four processes use at once`, () => {
        races?.(it, engine);
      });
    }
  });
}

type Describe = (it: StoreTest, engine: StoreEngine) => void;

/** The tests of one suite. */
interface Suite {
  readonly part: SuitePart;
  readonly steps: Describe;
  readonly races?: Describe;
}

const suites: Readonly<Record<SuiteName, Suite>> = {
  users: {
    part: 'auth',
    steps(it) {
      describeUsers(it);
      describeUserChanges(it);
    },
    races(it) {
      describeUserRaces(it);
      describeAccountRaces(it);
    },
  },
  sessions: { part: 'auth', steps: describeSessions, races: describeSessionRaces },
  rateLimits: { part: 'auth', steps: describeRateLimits, races: describeRateLimitRaces },
  events: { part: 'auth', steps: describeEvents, races: describeEventRaces },
  counters: { part: 'access', steps: describeCounters, races: describeCounterRaces },
  mailTokens: {
    part: 'auth',
    steps: describeMailTokens,
    races(it) {
      for (const kinds of mailTokenKinds) {
        describe(`the store of ${kinds.kind}`, () => {
          describeMailTokenRaces(it, kinds);
        });
      }
    },
  },
  oneTimeIds: { part: 'auth', steps: describeOneTimeIds, races: describeOneTimeIdRaces },
  mfa: { part: 'auth', steps: describeMfa, races: describeMfaRaces },
  oauthAccounts: { part: 'auth', steps: describeOAuthAccounts, races: describeOAuthAccountRaces },
  entities: { part: 'database', steps: describeEntities, races: describeEntityRaces },
  roleAssignments: { part: 'access', steps: describeRoleAssignments, races: describeRoleAssignmentRaces },
  groups: { part: 'access', steps: describeGroups, races: describeGroupRaces },
  hierarchy: { part: 'access', steps: describeHierarchy, races: describeHierarchyRaces },
  flags: { part: 'access', steps: describeFlags, races: describeFlagRaces },
  subscriptions: { part: 'access', steps: describeSubscriptions },
  wallets: { part: 'access', steps: describeWallets, races: describeWalletRaces },
  tenantSnapshots: { part: 'access', steps: describeTenantSnapshots },
  recorded: { part: 'access', steps: describeRecorded },
  changes: { part: 'database', steps: describeChanges, races: (_, engine) => describeChangeRaces(engine) },
  liveStreams: { part: 'database', steps: describeLiveStreams, races: describeLiveStreamRaces },
  unstorableTexts: { part: 'database', steps: describeUnstorableTexts },
  transactions: {
    part: 'database',
    steps(it) {
      describeTransactions(it);
      describeRateLimitTransactions(it);
    },
    races: describeTransactionRaces,
  },
  sql: { part: 'database', steps: describeAppSql },
  revocationListeners: { part: 'database', steps: describeRevocationListeners },
  lifecycle: { part: 'database', steps: describeLifecycle },
  serverTime: { part: 'database', steps: describeServerTime },
};
