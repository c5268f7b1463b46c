import { describeStores, type SuiteName } from '@x/store-testing';
import { afterAll } from 'vitest';
import { createPostgresEngine, dropDatabases } from './postgres-engine.ts';

/** The parts of the contract. Each has a file of its own, so that two cores share them. */
type Part = 'auth' | 'access' | 'database';

const partOf: Readonly<Record<SuiteName, Part>> = {
  users: 'auth',
  sessions: 'auth',
  rateLimits: 'auth',
  events: 'auth',
  mailTokens: 'auth',
  oneTimeIds: 'auth',
  mfa: 'auth',
  oauthAccounts: 'auth',
  roleAssignments: 'access',
  groups: 'access',
  hierarchy: 'access',
  recorded: 'access',
  flags: 'access',
  subscriptions: 'access',
  wallets: 'access',
  tenantSnapshots: 'access',
  counters: 'access',
  changes: 'database',
  entities: 'database',
  liveStreams: 'database',
  unstorableTexts: 'database',
  transactions: 'database',
  sql: 'database',
  revocationListeners: 'database',
  lifecycle: 'database',
  serverTime: 'database',
};

/**
 * Describes a part of the contract for Postgres, as often as `rounds` says; with the races, the parts are the whole of
 * it.
 */
export function describePart(part: Part, rounds: number): void {
  const names = Object.keys(partOf) as SuiteName[];
  const only = names.filter((name) => partOf[name] === part);
  describeStores(`postgres, ${part}:`, createPostgresEngine(), { rounds, only, tests: 'steps' });
  afterAll(dropDatabases);
}
