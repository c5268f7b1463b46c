import type { EntityTable, Revocation, UserId } from '@x/store';
import { ChangeLog } from './changes/change-log.ts';
import { followChanges } from './changes/follow-changes.ts';
import { createFlagTable, type FlagTable } from './access/flags.ts';
import { createGroupTable, type GroupTable } from './access/groups.ts';
import { createEdgeTable, type EdgeTable } from './access/hierarchy.ts';
import { AssignmentTable } from './access/assignment-table.ts';
import {
  type AddOnTable,
  createTenantTable,
  type OverrideTable,
  type SubscriptionTable,
} from './access/subscriptions.ts';
import {
  type ConsumptionTable,
  createConsumptionTable,
  createWalletTable,
  type WalletTable,
} from './access/wallets.ts';
import { createMailTokenTable, type MailTokenTable } from './auth/mail-tokens.ts';
import { createMfaTable, type MfaTable } from './auth/mfa.ts';
import { createOAuthAccountTable, type OAuthAccountTable } from './auth/oauth-accounts.ts';
import { createOneTimeIdTable, type OneTimeIdTable } from './auth/one-time-ids.ts';
import { type MaxWindows, RateLimitTable } from './auth/rate-limits.ts';
import { createSessionTable, type SessionTable } from './auth/sessions.ts';
import { createUserTable, type UserTable } from './auth/users.ts';
import { type CounterTable, createCounterTable } from './counters.ts';
import type { TableSet } from './database/executor.ts';
import { Table } from './database/table.ts';
import { EntityTables } from './entity/entity-tables.ts';
import { createLiveStreamTable, type LiveStreamTable } from './live-streams.ts';
import { createEventTable, type EventTable } from './events.ts';

/** All tables of one database, or of one transaction on it. */
export interface Tables extends TableSet<Tables>, OwnedRows {
  readonly users: UserTable;
  readonly sessions: SessionTable;
  readonly rateLimits: RateLimitTable;
  readonly events: EventTable;
  readonly counters: CounterTable;
  readonly emailVerifications: MailTokenTable;
  readonly passwordResets: MailTokenTable;
  readonly oneTimeIds: OneTimeIdTable;
  readonly mfa: MfaTable;
  readonly oauthAccounts: OAuthAccountTable;
  readonly entities: EntityTables;
  readonly assignments: AssignmentTable;
  readonly edges: EdgeTable;
  readonly groups: GroupTable;
  /** Who is in which group, as a hierarchy of its own. */
  readonly memberships: EdgeTable;
  readonly flags: FlagTable;
  readonly subscriptions: SubscriptionTable;
  readonly addOns: AddOnTable;
  readonly overrides: OverrideTable;
  readonly wallets: WalletTable;
  readonly consumptions: ConsumptionTable;
  readonly changes: ChangeLog;
  readonly liveStreams: LiveStreamTable;
}

/** The rows of all tables that are deleted with their user. */
interface OwnedRows {
  deleteOwned(userId: UserId): void;
}

/**
 * Creates empty tables.
 *
 * @param keepsChanges - whether all that changes is appended to the feed
 * @param maxWindows - how many windows of rate limits are kept, instead of a million
 */
export function createTables(
  entities: readonly EntityTable[] = [],
  keepsChanges: boolean = false,
  maxWindows?: MaxWindows,
): Tables {
  const created = Object.entries<(options: TableOptions) => unknown>(factories).map(
    ([name, create]) => [name, create({ entities, maxWindows })] as const,
  );
  const tables: Tables = {
    ...(Object.fromEntries(created) as Pick<Tables, TableName>),
    revocations: [],
    deleteOwned: (userId) => deleteOwned(tables, userId),
    overlay: () => overlay(tables),
  };
  if (keepsChanges) followChanges(tables);
  return tables;
}

interface TableOptions {
  readonly entities: readonly EntityTable[];
  readonly maxWindows: MaxWindows | undefined;
}

type TableName = Exclude<keyof Tables, keyof TableSet<Tables> | keyof OwnedRows>;

const factories: { readonly [Name in TableName]: (options: TableOptions) => Tables[Name] } = {
  users: createUserTable,
  sessions: createSessionTable,
  rateLimits: ({ maxWindows }) => new RateLimitTable(maxWindows),
  events: createEventTable,
  counters: createCounterTable,
  emailVerifications: createMailTokenTable,
  passwordResets: createMailTokenTable,
  oneTimeIds: createOneTimeIdTable,
  mfa: createMfaTable,
  oauthAccounts: createOAuthAccountTable,
  entities: ({ entities }) => new EntityTables(new Map(entities.map((entity) => [entity.name, entity]))),
  assignments: () => new AssignmentTable(),
  edges: createEdgeTable,
  groups: createGroupTable,
  memberships: createEdgeTable,
  flags: createFlagTable,
  subscriptions: createTenantTable,
  addOns: createTenantTable,
  overrides: createTenantTable,
  wallets: createWalletTable,
  consumptions: createConsumptionTable,
  changes: () => new ChangeLog(),
  liveStreams: createLiveStreamTable,
};

function deleteOwned(tables: Tables, userId: UserId): void {
  for (const name of Object.keys(factories) as TableName[]) {
    const table: unknown = tables[name];
    if (table instanceof Table) table.deleteOwned(userId);
  }
}

/** Creates the tables of a transaction. */
function overlay(below: Tables): ReturnType<Tables['overlay']> {
  return new OverlaidTables(below) as unknown as ReturnType<Tables['overlay']>;
}

/** The tables of a transaction, each a member that is created on first use: a transaction needs few of them. */
class OverlaidTables {
  readonly revocations: Revocation[] = [];
  readonly #below: Tables;
  readonly #made = new Map<TableName, { commit(): void }>();

  static {
    for (const name of Object.keys(factories) as TableName[]) {
      Object.defineProperty(this.prototype, name, {
        get(this: OverlaidTables) {
          return this.#open(name);
        },
      });
    }
  }

  constructor(below: Tables) {
    this.#below = below;
  }

  #open(name: TableName): object {
    const made = this.#made.get(name) ?? this.#below[name].overlay();
    this.#made.set(name, made);
    return made;
  }

  deleteOwned(userId: UserId): void {
    deleteOwned(this as unknown as Tables, userId);
  }

  overlay(): ReturnType<Tables['overlay']> {
    return overlay(this as unknown as Tables);
  }

  commit(): void {
    for (const table of this.#made.values()) table.commit();
    for (const revocation of this.revocations) this.#below.revocations.push(revocation);
  }
}
