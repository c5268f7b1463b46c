import type { AccessContext, AccessContextFactory, RuleCaller } from '@x/access';
import type { Awaitable, Logger } from '@x/errors';
import type { Cause, QueryBounds, Stores, TransactionOptions, TransactionStores } from '@x/store';
import type { Service } from '../action/service.ts';
import type { Actor, AuthorizationCall } from '../authorization/authorization.ts';
import type { ResourceColumns } from '../authorization/resource-columns.ts';
import type { Entity } from '../definition/entity.ts';

/** The parts that all calls share: the entities of the app, and where their records are. */
export interface EntityContext {
  readonly stores: Stores;
  readonly entities: ReadonlyMap<string, Entity>;
  readonly services: ReadonlyMap<string, Service>;
  /** Without an access definition, no user has any entitlement. */
  readonly access: AccessContextFactory;
  /** Where entitlements are checked, by the name of the entity whose rules use them. */
  readonly resourceColumns: ReadonlyMap<string, ResourceColumns>;
  readonly logger: Logger;
}

/**
 * One call of the operations, by a request or by code of the app, and its context: the same for all of its steps,
 * except in a transaction.
 */
export interface Call extends AuthorizationCall {
  readonly context: EntityContext;
  readonly actor: Actor;
  /** The time of the whole call. */
  readonly now: Date;
  /** Those of the transaction, if one is open. */
  readonly stores: TransactionStores;
  /** Returns what the caller may do; created on the first use, because most calls need none. */
  readonly access: () => AccessContext;
  /** Work for after the commit; null if no transaction is open. */
  readonly afterCommit: LeftForCommit | null;
}

/** A step that is left for after the commit. */
type Work = () => Awaitable<void>;

/** Takes steps that are left for after the commit. */
interface LeftForCommit {
  push(...work: readonly Work[]): unknown;
}

/** An open transaction that others commit. */
export interface OpenTransaction {
  readonly stores: TransactionStores;
  /** Runs a step once the transaction has been committed, and never if it is rolled back. */
  afterCommit(work: Work): void;
}

/** Opens a call of its own. */
export function openCall(context: EntityContext, actor: Actor): Call {
  const { stores } = context;
  return toCall({ context, actor, now: stores.clock.now(), stores, afterCommit: null });
}

/**
 * Runs `work` in a transaction, and after the commit the work that it left for then. Inside an open transaction, `work`
 * becomes a part of it.
 */
export async function inTransaction<T>(
  call: Call,
  work: (inside: Call) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> {
  if (call.afterCommit) return work(call);
  let afterCommit: Work[] = [];
  const outcome = await call.stores.transaction((stores) => {
    afterCommit = [];
    return work(toCall({ ...call, stores, afterCommit }));
  }, options);
  for (const each of afterCommit) await runLogged(call.context.logger, each);
  return outcome;
}

/** Opens a call that is a part of a transaction. */
export function openCallWithin(context: EntityContext, actor: Actor, transaction: OpenTransaction): Call {
  const { stores } = transaction;
  const afterCommit = { push: (...work: readonly Work[]) => work.forEach((each) => transaction.afterCommit(each)) };
  return toCall({ context, actor, now: context.stores.clock.now(), stores, afterCommit });
}

/** Opens a copy of a call that has read no access yet. */
export function renewCall(call: Call): Call {
  return toCall(call);
}

/** Opens a call by the same actor that comes after another one: it is of its own time, and has read no access yet. */
export function openNextCall(call: Call): Call {
  return toCall({ ...call, now: call.context.stores.clock.now() });
}

/** Opens a call of the app itself within another one. */
export function asSystem(call: Call): Call {
  return toCall({ ...call, actor: { type: 'system', caller: call.actor.caller } });
}

/** Runs `work` so that if it throws, its own steps are rolled back, but no others of an open transaction. */
export function undoable<T>(call: Call, work: (inside: Call) => Promise<T>): Promise<T> {
  const { afterCommit } = call;
  if (!afterCommit) return work(call);
  return call.stores.transaction(async (stores) => {
    const added: Work[] = [];
    const outcome = await work(toCall({ ...call, stores, afterCommit: added }));
    afterCommit.push(...added);
    return outcome;
  });
}

/** Bounds the queries of a call on an entity: a store stops reading rows when their texts alone fill a page. */
export function boundsOf({ actor }: Call, { maxPageBytes, secretFields }: Entity): QueryBounds {
  const caller = actor.type === 'system' ? null : (actor.caller.userId ?? 'anonymous');
  return { maxCharacters: maxPageBytes, caller, ...(secretFields.size > 0 && { uncounted: secretFields }) };
}

/** Adds the caller's access, which is read once. */
function toCall(call: Omit<Call, 'access'>): Call {
  let opened: AccessContext | undefined;
  const { context, actor, stores } = call;
  return { ...call, access: () => (opened ??= context.access.contextFor(toRuleCaller(actor), stores)) };
}

/** Returns who changes records, and in which tenant's log the changes belong. */
export function toCause({ actor: { caller } }: Call): Cause {
  return { by: caller.userId, tenantId: caller.tenantId };
}

/** Completes who an operation is for: the system has no facts about a session. */
export function toRuleCaller({ caller }: Actor): RuleCaller {
  return { role: null, secondFactorAt: null, ...caller };
}

async function runLogged(logger: Logger, work: Work): Promise<void> {
  try {
    await work();
  } catch (err) {
    logger.error({ err }, 'a hook failed after the commit');
  }
}
