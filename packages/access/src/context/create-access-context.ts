import { CodedError, silentLogger, type Logger } from '@x/errors';
import type { ConditionRow, Resource, UserId } from '@x/store';
import { toAccessCheck, type AccessCheck, type Denial } from '../decision/access-check.ts';
import { AuthorizationError } from '../decision/authorization-error.ts';
import type { AccessModel } from '../definition/access-model.ts';
import type { CompiledAccess } from '../definition/compile-access.ts';
import { compiledOf, type AccessDefinition } from '../definition/define-access.ts';
import type { AccessQuestion, LayerContext } from '../layer/layer.ts';
import { layers } from '../layer/layers.ts';
import { anonymous, type RuleCaller } from '../rule/rule-caller.ts';
import { isStorable } from '../definition/is-storable.ts';
import { toCheckKey, type AccessContext, type UseOptions } from './access-context.ts';
import { AccessReads } from './access-reads.ts';
import type { AccessSources } from './access-sources.ts';
import { assertAmount, consume, type ConsumeOptions, type ConsumeResult } from './consume.ts';
import { explain } from './explain.ts';
import { filter } from './filter.ts';
import { KeptReceipts } from './kept-receipts.ts';
import { unconsume } from './unconsume.ts';

/** Whose access it is, and where it is read. */
export interface AccessContextOptions<Model extends AccessModel = AccessModel> extends AccessSources {
  /** Null or undefined for a caller who is not signed in. */
  readonly userId: string | null | undefined;
  readonly definition: AccessDefinition<Model>;
  /** What the rules of entitlements may ask of the session; nothing is known by default. */
  readonly session?: Partial<Omit<RuleCaller, 'userId'>>;
  /** The clock of the process by default. */
  readonly now?: () => Date;
  /** Where it is told that a store failed. */
  readonly logger?: Logger;
}

/** The answers that need no wait: there is no need of a promise for each. */
const [yes, no] = [Promise.resolve(true), Promise.resolve(false)];

/** How many questions are answered at once. */
const maxChecks = 100;

/**
 * Creates the access context of one request.
 *
 * @example
 * ```ts
 * const access = createAccessContext({ userId, definition, roleStore, closureStore, orgResolver });
 * if (await access.can('project:update', { type: 'project', id })) await rename(id);
 * ```
 */
export function createAccessContext<Model extends AccessModel>(
  options: AccessContextOptions<Model>,
): AccessContext<Model> {
  const asking = toAsking(options);
  const { logger = silentLogger } = options;
  const use = async (asked: Asked, { row, ...how }: UseOptions = {}): Promise<ConsumeResult> => {
    const result = await useEntitlement(asking, { ...asked, row }, how, options.walletStore);
    if (result.receipt) asking.receipts.add(toCheckKey(asked), result.receipt);
    return result;
  };
  return {
    userId: asking.layerContext.caller.userId,

    can(entitlement, resource, row) {
      const deny = (err: unknown): boolean => {
        logger.error({ err, entitlement }, 'access could not be decided');
        return false;
      };
      try {
        const held = isHeld(asking, { entitlement, resource, row });
        if (held instanceof Promise) return held.catch(deny);
        return held ? yes : no;
      } catch (error) {
        return Promise.resolve(deny(error));
      }
    },

    check: (entitlement, resource, row) => check(asking, { entitlement, resource, row }),

    async authorize(entitlement, resource, row) {
      const outcome = await check(asking, { entitlement, resource, row });
      if (!outcome.allowed)
        throw new AuthorizationError(entitlement, asking.layerContext.caller.userId ?? undefined, outcome);
    },

    async canAndConsume(entitlement, resource, how = {}) {
      assertAmount(how.amount ?? 1);
      try {
        return (await use({ entitlement, resource }, how)).allowed;
      } catch (err) {
        logger.error({ err, entitlement }, 'use could not be decided');
        return false;
      }
    },

    consume: (entitlement, resource, how) => use({ entitlement, resource }, how),

    async unconsume(entitlement, resource, { receipt, amount } = {}) {
      const key = toCheckKey({ entitlement, resource });
      const last = receipt ?? asking.receipts.last(key);
      const isSignedIn = asking.layerContext.caller.userId !== null;
      const question = last || !isSignedIn ? null : await toQuestion(asking, { entitlement, resource });
      const isTakenBack = await unconsume(
        { receipt: last, question, amount },
        asking.layerContext,
        options.walletStore,
      );
      if (last) asking.receipts.remove(key, last);
      return isTakenBack;
    },

    async canAll(checks) {
      if (checks.length > maxChecks) {
        throw new CodedError('VALIDATION_FAILED', `No more than ${maxChecks} entitlements are checked at once.`);
      }
      try {
        return await areHeld(asking, checks);
      } catch (err) {
        logger.error({ err }, 'access could not be decided');
        return new Map(checks.map((one) => [toCheckKey(one), false]));
      }
    },

    async explain(entitlement, resource, row) {
      const asked = { entitlement, resource, row };
      const question = await toQuestion(asking, asked);
      return explain({
        entitlement,
        resource: question?.resource ?? resource ?? null,
        question,
        check: await check(asking, asked),
        access: asking.access,
        context: asking.layerContext,
        sources: options,
      });
    },

    filter: (entitlement, type, column = 'id') =>
      filter({ entitlement: asking.access.entitlements.get(entitlement), type, column }, asking.layerContext),
  };
}

/** What the functions below go by. */
interface Asking {
  readonly access: CompiledAccess;
  readonly layerContext: LayerContext;
  readonly receipts: KeptReceipts;
}

/** What a caller asks, unchecked. */
interface Asked {
  readonly entitlement: string;
  readonly resource?: Resource | undefined;
  readonly row?: ConditionRow | undefined;
}

function toAsking<Model extends AccessModel>(options: AccessContextOptions<Model>): Asking {
  const { userId, definition, session, now = () => new Date() } = options;
  const access = compiledOf(definition);
  const isSignedIn = typeof userId === 'string' && isStorable(userId);
  const caller = isSignedIn ? { ...anonymous, ...session, userId } : anonymous;
  // The one place that turns the id of a session's user into that of the stores.
  const reads = new AccessReads(access, options, (caller.userId ?? '') as UserId);
  return { access, layerContext: { access, reads, caller, now }, receipts: new KeptReceipts() };
}

/** Answers at once where nothing has to be read. */
function isHeld(asking: Asking, asked: Asked): boolean | Promise<boolean> {
  const { layerContext } = asking;
  if (layerContext.caller.userId === null) return false;
  if (!asked.resource) return toQuestion(asking, asked).then((question) => passesAll(question, layerContext));
  return passesAll(toQuestionOn(asking, asked, asked.resource), layerContext);
}

/** Asks the layers in their order, from one of them on, and none after the first that does not pass. */
function passesAll(question: AccessQuestion | null, context: LayerContext, from = 0): boolean | Promise<boolean> {
  if (!question) return false;
  for (let index = from; index < layers.length; index += 1) {
    const passes = layers[index]?.passes(question, context) ?? false;
    if (passes instanceof Promise) return passes.then((passed) => passed && passesAll(question, context, index + 1));
    if (!passes) return false;
  }
  return true;
}

async function check(asking: Asking, asked: Asked): Promise<AccessCheck> {
  if (asking.layerContext.caller.userId === null) return toAccessCheck([notAuthenticated]);
  const question = await toQuestion(asking, asked);
  if (!question) return toAccessCheck([notDefined]);
  return toAccessCheck(await Promise.all(layers.map((layer) => layer.findDenial(question, asking.layerContext))));
}

async function useEntitlement(
  asking: Asking,
  asked: Asked,
  how: ConsumeOptions,
  wallets: AccessSources['walletStore'],
): Promise<ConsumeResult> {
  assertAmount(how.amount ?? 1);
  if (asking.layerContext.caller.userId === null) return { ...toAccessCheck([notAuthenticated]), receipt: null };
  const question = await toQuestion(asking, asked);
  if (!question) return { ...toAccessCheck([notDefined]), receipt: null };
  return consume(question, how, asking.layerContext, wallets);
}

async function areHeld(asking: Asking, checks: readonly Asked[]): Promise<ReadonlyMap<string, boolean>> {
  const verdicts = new Map(checks.map((one) => [toCheckKey(one), false]));
  if (asking.layerContext.caller.userId === null) return verdicts;
  const questions = await Promise.all(checks.map((one) => toQuestion(asking, one)));
  const known = questions.filter((question) => question !== null);
  await Promise.all(layers.map((layer) => layer.load(known, asking.layerContext)));
  for (const one of checks) verdicts.set(toCheckKey(one), await isHeld(asking, one));
  return verdicts;
}

const notAuthenticated: Denial = { reasons: ['not_authenticated'], meta: {} };

/** Nobody has a role for what is not defined. */
const notDefined: Denial = { reasons: ['role_required'], meta: {} };

/** Null where what is asked is not defined. */
async function toQuestion(asking: Asking, asked: Asked): Promise<AccessQuestion | null> {
  const { resource } = asked;
  if (resource !== undefined) return toQuestionOn(asking, asked, resource);
  if (!asking.access.entitlements.has(asked.entitlement)) return null;
  const tenant = await asking.layerContext.reads.tenantOf(null);
  return toQuestionOn(asking, asked, tenant?.resource ?? null);
}

function toQuestionOn({ access }: Asking, { entitlement, row }: Asked, on: Resource | null): AccessQuestion | null {
  const compiled = access.entitlements.get(entitlement);
  if (!compiled || (on !== null && !isKnown(access, on))) return null;
  return { entitlement: compiled, resource: on, row: row ?? null };
}

/** A resource may come from a request: anything else than a defined type and a text that a store can hold names nothing. */
function isKnown(access: CompiledAccess, { type, id }: Resource): boolean {
  return access.types.has(type) && typeof id === 'string' && isStorable(id);
}
