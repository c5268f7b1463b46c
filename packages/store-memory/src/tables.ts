import type { EntityTable, Revocation } from '@x/store';
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
import { EntityTables } from './entity/entity-tables.ts';
import { createLiveStreamTable, type LiveStreamTable } from './live-streams.ts';
import { createEventTable, type EventTable } from './events.ts';

/** All tables of one database, or of one transaction on it. */
export interface Tables extends TableSet<Tables> {
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
  const tables = createEmptyTables(entities, maxWindows);
  if (keepsChanges) followChanges(tables);
  return tables;
}

function createEmptyTables(entities: readonly EntityTable[], maxWindows: MaxWindows | undefined): Tables {
  return {
    users: createUserTable(),
    sessions: createSessionTable(),
    rateLimits: new RateLimitTable(maxWindows),
    events: createEventTable(),
    counters: createCounterTable(),
    emailVerifications: createMailTokenTable(),
    passwordResets: createMailTokenTable(),
    oneTimeIds: createOneTimeIdTable(),
    mfa: createMfaTable(),
    oauthAccounts: createOAuthAccountTable(),
    entities: new EntityTables(new Map(entities.map((entity) => [entity.name, entity]))),
    assignments: new AssignmentTable(),
    edges: createEdgeTable(),
    groups: createGroupTable(),
    memberships: createEdgeTable(),
    flags: createFlagTable(),
    subscriptions: createTenantTable(),
    addOns: createTenantTable(),
    overrides: createTenantTable(),
    wallets: createWalletTable(),
    consumptions: createConsumptionTable(),
    changes: new ChangeLog(),
    liveStreams: createLiveStreamTable(),
    revocations: [],
    overlay() {
      return new OverlaidTables(this);
    },
  };
}

/** The tables of a transaction, each created on first use. */
class OverlaidTables implements Tables {
  readonly revocations: Revocation[] = [];
  readonly #below: Tables;
  readonly #made: { -readonly [Name in Exclude<keyof Tables, keyof TableSet<Tables>>]?: Tables[Name] } = {};

  constructor(below: Tables) {
    this.#below = below;
  }

  get users(): UserTable {
    return (this.#made.users ??= this.#below.users.overlay());
  }

  get sessions(): SessionTable {
    return (this.#made.sessions ??= this.#below.sessions.overlay());
  }

  get rateLimits(): RateLimitTable {
    return (this.#made.rateLimits ??= this.#below.rateLimits.overlay());
  }

  get events(): EventTable {
    return (this.#made.events ??= this.#below.events.overlay());
  }

  get counters(): CounterTable {
    return (this.#made.counters ??= this.#below.counters.overlay());
  }

  get emailVerifications(): MailTokenTable {
    return (this.#made.emailVerifications ??= this.#below.emailVerifications.overlay());
  }

  get passwordResets(): MailTokenTable {
    return (this.#made.passwordResets ??= this.#below.passwordResets.overlay());
  }

  get oneTimeIds(): OneTimeIdTable {
    return (this.#made.oneTimeIds ??= this.#below.oneTimeIds.overlay());
  }

  get mfa(): MfaTable {
    return (this.#made.mfa ??= this.#below.mfa.overlay());
  }

  get oauthAccounts(): OAuthAccountTable {
    return (this.#made.oauthAccounts ??= this.#below.oauthAccounts.overlay());
  }

  get entities(): EntityTables {
    return (this.#made.entities ??= this.#below.entities.overlay());
  }

  get assignments(): AssignmentTable {
    return (this.#made.assignments ??= this.#below.assignments.overlay());
  }

  get edges(): EdgeTable {
    return (this.#made.edges ??= this.#below.edges.overlay());
  }

  get groups(): GroupTable {
    return (this.#made.groups ??= this.#below.groups.overlay());
  }

  get memberships(): EdgeTable {
    return (this.#made.memberships ??= this.#below.memberships.overlay());
  }

  get flags(): FlagTable {
    return (this.#made.flags ??= this.#below.flags.overlay());
  }

  get subscriptions(): SubscriptionTable {
    return (this.#made.subscriptions ??= this.#below.subscriptions.overlay());
  }

  get addOns(): AddOnTable {
    return (this.#made.addOns ??= this.#below.addOns.overlay());
  }

  get overrides(): OverrideTable {
    return (this.#made.overrides ??= this.#below.overrides.overlay());
  }

  get wallets(): WalletTable {
    return (this.#made.wallets ??= this.#below.wallets.overlay());
  }

  get consumptions(): ConsumptionTable {
    return (this.#made.consumptions ??= this.#below.consumptions.overlay());
  }

  get changes(): ChangeLog {
    return (this.#made.changes ??= this.#below.changes.overlay());
  }

  get liveStreams(): LiveStreamTable {
    return (this.#made.liveStreams ??= this.#below.liveStreams.overlay());
  }

  overlay(): OverlaidTables {
    return new OverlaidTables(this);
  }

  commit(): void {
    for (const table of Object.values(this.#made)) table.commit();
    for (const revocation of this.revocations) this.#below.revocations.push(revocation);
  }
}
