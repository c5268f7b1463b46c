import { CodedError, type Logger } from '@x/errors';
import { areAllowed, isAllowed } from './evaluate.ts';
import { type CheckRequest, type EvaluationContext, toCheckKey } from './question.ts';

/** Shared outcomes, to avoid creating a promise for each. */
const [yes, no] = [Promise.resolve(true), Promise.resolve(false)];

/** How many checks are done at once. */
const maxChecks = 100;

/** Says whether the caller has an entitlement. If a store fails: false, and logged. */
export function can(context: EvaluationContext, request: CheckRequest, logger: Logger): Promise<boolean> {
  const deny = (err: unknown): boolean => {
    logger.error({ err, entitlement: request.entitlement }, 'access could not be decided');
    return false;
  };
  try {
    const allowed = isAllowed(context, request);
    if (allowed instanceof Promise) return allowed.catch(deny);
    return allowed ? yes : no;
  } catch (error) {
    return Promise.resolve(deny(error));
  }
}

/**
 * Says which of many entitlements the caller has, by their keys. If a store fails: false for all, and
 * logged.
 *
 * @throws CodedError `VALIDATION_FAILED` for too many, before anything is read
 */
export async function canAll(
  context: EvaluationContext,
  requests: readonly CheckRequest[],
  logger: Logger,
): Promise<ReadonlyMap<string, boolean>> {
  if (requests.length > maxChecks) {
    throw new CodedError('VALIDATION_FAILED', `At most ${maxChecks} entitlements can be checked at once.`);
  }
  try {
    return await areAllowed(context, requests);
  } catch (err) {
    logger.error({ err }, 'access could not be decided');
    return new Map(requests.map((request) => [toCheckKey(request), false]));
  }
}
