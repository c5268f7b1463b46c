// Unlike the rest, `can` is synchronous as far as the layers are (`Layer.findDenial`), and a store in memory decides at
// once (`hasRoleNow`). Two million questions a second are promised there (row `can-memory` of the bench): half a
// microsecond for each leaves no room for a promise for each layer.
import { type Awaitable, CodedError, type Logger } from '@x/errors';
import type { AccessModel, EntitlementName, ModelResource } from '../definition/access-model.ts';
import { layers, loadLayers } from './layers.ts';
import { type AccessQuestion, type CheckRequest, type EvaluationContext, toCheckKey, toQuestion } from './question.ts';

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

/** Shared outcomes, to avoid creating a promise for each. */
const [yes, no] = [Promise.resolve(true), Promise.resolve(false)];

/** Decides as {@link can} does, except that it throws or rejects if a store fails. */
export function isAllowed(context: EvaluationContext, request: CheckRequest): Awaitable<boolean> {
  if (context.caller.userId === null) return false;
  const question = toQuestion(context, request);
  if (question instanceof Promise) return question.then((known) => passesAll(context, known));
  return passesAll(context, question);
}

/** Evaluates the layers in their order, starting at `from`, up to the first one that denies. */
export function passesAll(context: EvaluationContext, question: AccessQuestion | null, from = 0): Awaitable<boolean> {
  if (!question) return false;
  for (let index = from; index < layers.length; index += 1) {
    const denial = layers[index]?.findDenial(context, question) ?? null;
    if (denial instanceof Promise) {
      return denial.then((found) => found === null && passesAll(context, question, index + 1));
    }
    if (denial !== null) return false;
  }
  return true;
}

/** The decisions of `canAll`, by entitlement, type and id. */
export interface Decisions<Model extends AccessModel = AccessModel> {
  /** Says whether all checks of an entitlement on a resource allow it; false if there was none. */
  can(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>): boolean;
}

/** How many checks are done at once. */
const maxChecks = 100;

/**
 * Says which of many entitlements the caller has; makes at most 4 store calls. If a store fails: false for all, and
 * logged.
 *
 * @throws CodedError `VALIDATION_FAILED` for too many, before anything is read
 */
export async function canAll(
  context: EvaluationContext,
  requests: readonly CheckRequest[],
  logger: Logger,
): Promise<Decisions> {
  if (requests.length > maxChecks) {
    throw new CodedError('VALIDATION_FAILED', `At most ${maxChecks} entitlements can be checked at once.`);
  }
  try {
    return toDecisions(requests, await areAllowed(context, requests));
  } catch (err) {
    logger.error({ err }, 'access could not be decided');
    return toDecisions([], []);
  }
}

async function areAllowed(context: EvaluationContext, requests: readonly CheckRequest[]): Promise<readonly boolean[]> {
  if (context.caller.userId === null) return [];
  const questions = await Promise.all(requests.map(async (request) => toQuestion(context, request)));
  const known = questions.filter((question) => question !== null);
  await loadLayers(context, layers, known);
  return Promise.all(questions.map(async (question) => passesAll(context, question)));
}

function toDecisions(requests: readonly CheckRequest[], allowed: readonly boolean[]): Decisions {
  const byKey = new Map<string, boolean>();
  for (const [index, request] of requests.entries()) {
    const key = toCheckKey(request);
    // The same entitlement and resource may be checked with several records.
    byKey.set(key, (byKey.get(key) ?? true) && (allowed[index] ?? false));
  }
  return { can: (entitlement, resource) => byKey.get(toCheckKey({ entitlement, resource })) ?? false };
}
