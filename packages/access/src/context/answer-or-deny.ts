import { CodedError, type Logger } from '@x/errors';
import type { LayerContext } from '../layer/layer.ts';
import { toCheckKey } from './access-context.ts';
import type { Asked } from './asking.ts';
import { areHeld, isHeld } from './decide.ts';

/** Shared answers, to avoid creating a promise for each. */
const [yes, no] = [Promise.resolve(true), Promise.resolve(false)];

/** How many questions may be asked at once. */
const maxChecks = 100;

/** Says whether an entitlement is held. If a store fails: false, and logged. */
export function can(context: LayerContext, asked: Asked, logger: Logger): Promise<boolean> {
  const deny = (err: unknown): boolean => {
    logger.error({ err, entitlement: asked.entitlement }, 'access could not be decided');
    return false;
  };
  try {
    const held = isHeld(context, asked);
    if (held instanceof Promise) return held.catch(deny);
    return held ? yes : no;
  } catch (error) {
    return Promise.resolve(deny(error));
  }
}

/**
 * Says which of many entitlements are held, by the keys of the questions. If a store fails: false for all, and logged.
 *
 * @throws CodedError `VALIDATION_FAILED` for too many, before anything is read
 */
export async function canAll(
  context: LayerContext,
  checks: readonly Asked[],
  logger: Logger,
): Promise<ReadonlyMap<string, boolean>> {
  if (checks.length > maxChecks) {
    throw new CodedError('VALIDATION_FAILED', `At most ${maxChecks} entitlements can be checked at once.`);
  }
  try {
    return await areHeld(context, checks);
  } catch (err) {
    logger.error({ err }, 'access could not be decided');
    return new Map(checks.map((one) => [toCheckKey(one), false]));
  }
}
