import { CodedError, silentLogger, type Logger } from '@x/errors';
import type { Resource } from '@x/store';
import { AuthorizationError } from '../decision/authorization-error.ts';
import { toAccessCheck } from '../decision/access-check.ts';
import type { AccessModel } from '../definition/access-model.ts';
import { toRequiredRoles } from '../definition/compile-access.ts';
import type { LayerContext } from '../layer/layer.ts';
import { toCheckKey, type AccessContext, type UseOptions } from './access-context.ts';
import type { AccessSources } from './access-sources.ts';
import { isKnown, openAsking, toQuestion, type Asked, type AskingOptions } from './asking.ts';
import { assertAmount, consume, type ConsumeOptions, type ConsumeResult } from './consume.ts';
import { areHeld, check, checkAll, isHeld, notAuthenticated, notDefined } from './decide.ts';
import { explain } from './explain.ts';
import { filter, filterByRole, filterByRoles } from './filter.ts';
import { KeptReceipts } from './kept-receipts.ts';
import { readAccessSet } from './read-access-set.ts';
import { unconsume } from './unconsume.ts';

/** Whose access it is, and where it is read. */
export interface AccessContextOptions<Model extends AccessModel = AccessModel> extends AskingOptions<Model> {
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
  const asking = openAsking(options);
  const receipts = new KeptReceipts();
  const { logger = silentLogger } = options;
  const use = async (asked: Asked, { row, ...how }: UseOptions = {}): Promise<ConsumeResult> => {
    const result = await useEntitlement(asking, { ...asked, row }, how, options.walletStore);
    if (result.receipt) receipts.add(toCheckKey(asked), result.receipt);
    return result;
  };
  const hasRole = async (roles: readonly string[], resource: Resource): Promise<boolean> => {
    if (asking.caller.userId === null || !isKnown(asking.access, resource)) return false;
    return asking.reads.roles.holds(resource, toRequiredRoles(asking.access, resource.type, roles));
  };
  return {
    userId: asking.caller.userId,

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
      if (!outcome.allowed) throw new AuthorizationError(entitlement, asking.caller.userId ?? undefined, outcome);
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
      const last = receipt ?? receipts.last(key);
      const isSignedIn = asking.caller.userId !== null;
      const question = last || !isSignedIn ? null : await toQuestion(asking, { entitlement, resource });
      const isTakenBack = await unconsume({ receipt: last, question, amount }, asking, options.walletStore);
      if (last) receipts.remove(key, last);
      return isTakenBack;
    },

    async canAll(checks) {
      if (checks.length > maxChecks) {
        throw new CodedError('VALIDATION_FAILED', `At most ${maxChecks} entitlements can be checked at once.`);
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
        context: asking,
        sources: options,
      });
    },

    checkAll: (checks) => checkAll(asking, checks),

    readAccessSet: () => readAccessSet(asking),

    filter: (entitlement, type, column = 'id') =>
      filter({ entitlement: asking.access.entitlements.get(entitlement), type, column }, asking),

    filterByRole: (entitlement, type, column = 'id') =>
      filterByRole({ entitlement: asking.access.entitlements.get(entitlement), type, column }, asking),

    filterByRoles: (roles, type, column = 'id') =>
      filterByRoles(toRequiredRoles(asking.access, type, roles), column, asking),

    hasRole,

    async hasRoleOnEach(roles, resources) {
      const known = resources.filter((resource) => isKnown(asking.access, resource));
      if (asking.caller.userId !== null) await asking.reads.roles.load(known);
      return Promise.all(resources.map((resource) => hasRole(roles, resource)));
    },
  };
}

async function useEntitlement(
  context: LayerContext,
  asked: Asked,
  how: ConsumeOptions,
  wallets: AccessSources['walletStore'],
): Promise<ConsumeResult> {
  assertAmount(how.amount ?? 1);
  if (context.caller.userId === null) return { ...toAccessCheck([notAuthenticated]), receipt: null };
  const question = await toQuestion(context, asked);
  if (!question) return { ...toAccessCheck([notDefined]), receipt: null };
  return consume(question, how, context, wallets);
}
