import {
  CodedError,
  findInputProblem,
  type Issue,
  isObject,
  notFound,
  pathOfIssue,
  rateLimited,
  validateBySchema,
  validationFailed,
} from '@x/errors';
import { type EntityRecord, storeUnavailable } from '@x/store';
import type { ActionContext, ActionTools, AnyAction, AnyRecordAction, RecordActionContext } from '../action/action.ts';
import type { CompiledAction } from '../action/compile-actions.ts';
import { authorizeCaller, authorizeOn, openActionAuthorization } from '../authorization/open-authorization.ts';
import type { Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import type { Model } from '../model/model.ts';
import { toInputIssues } from '../model/record-input.ts';
import { findRecord, parseId } from '../record/find-record.ts';
import { toStored } from '../record/hooks.ts';
import { assertMatch, type RecordRequest } from '../record/mutate.ts';

/** A caller's request to run an action. */
export interface ActionRun {
  readonly compiled: CompiledAction;
  /** The record it acts on, if any, and which versions of it. */
  readonly target: ({ readonly entity: Entity } & RecordRequest) | null;
  /** The caller's input; undefined for none. */
  readonly input: unknown;
  /** The tools for its handler. */
  readonly tools: ActionTools;
}

/**
 * Runs an action with the checks in the same order as for every request: whether the caller may at all, the shape of
 * the input, the rate limit, the requirements of the rule for the input and then for the record, and the record's
 * version.
 *
 * @throws CodedError
 */
export async function runAction(call: Call, { compiled, target, input, tools }: ActionRun): Promise<unknown> {
  const { action, rule } = compiled;
  authorizeCaller(call, rule);
  if (action.on === 'collection') {
    if (!action.resourceOf) await authorizeOn(call, rule, undefined);
    const parsed = parseInput(action, input);
    await countCaller(call, compiled);
    if (action.resourceOf) await authorizeOn(call, rule, action.resourceOf(parsed as never));
    // The output of its schema is the input of its handler.
    const context: ActionContext<unknown> = { ...tools, input: parsed };
    return toResult(action, await action.handler(context as never));
  }
  const parsed = parseInput(action, input);
  if (!target) throw notFound();
  const found = await findCounted(call, compiled, target);
  const { ifMatch } = target;
  assertMatch(ifMatch, found);
  const context: RecordActionContext<unknown, Model> = {
    ...tools,
    record: toStored(found.row),
    version: found.version,
    expectedVersion: ifMatch ? found.version : undefined,
    input: parsed,
  };
  return toResult(action, await action.handler(context as never));
}

/**
 * Looks up the record of an action. The attempt is counted before its outcome is known to the caller, and counted on
 * the record only if the caller is allowed: others use up a limit of their own, and learn nothing about the record's.
 */
async function findCounted(
  call: Call,
  compiled: CompiledAction,
  { entity, id }: NonNullable<ActionRun['target']>,
): Promise<EntityRecord> {
  const { rateLimit } = compiled.action;
  const find = (): Promise<EntityRecord> =>
    findRecord(call, {
      entity,
      id: parseId(entity, id),
      authorization: openActionAuthorization(call, entity, compiled.rule),
    });
  if (rateLimit?.per !== 'record') {
    await countCaller(call, compiled);
    return find();
  }
  try {
    const record = await find();
    await countOn(call, compiled, `record ${record.row.id}`);
    return record;
  } catch (error) {
    if (error instanceof CodedError && (error.status === 404 || error.status === 403))
      await countCaller(call, compiled);
    throw error;
  }
}

/** Callers who are not signed in share one count. */
function countCaller(call: Call, compiled: CompiledAction): Promise<void> {
  return countOn(call, compiled, `caller ${call.actor.caller.userId ?? ''}`);
}

/**
 * Counts an attempt under a key. If it can't be counted, it is refused.
 *
 * @throws CodedError `RATE_LIMITED` with `retryAfter` in seconds; `SERVICE_UNAVAILABLE`
 */
async function countOn(
  { actor, stores, context }: Call,
  { owner, name, action }: CompiledAction,
  key: string,
): Promise<void> {
  if (actor.type === 'system' || !action.rateLimit) return;
  const { max, windowSeconds } = action.rateLimit;
  const windowMs = windowSeconds * 1000;
  const { allowed, resetsAt } = await stores.rateLimits
    .check(`${owner}.${name}:${key}`, max, windowMs)
    .catch((error: unknown) => {
      throw error instanceof CodedError ? error : storeUnavailable(error);
    });
  if (allowed) return;
  const waitMs = Math.min(resetsAt.getTime() - context.stores.clock.now().getTime(), windowMs);
  throw rateLimited(Math.max(1, Math.ceil(waitMs / 1000)));
}

/**
 * Schemas of records drop `__proto__`, so the input is searched for such keys before it is parsed.
 *
 * @throws CodedError `VALIDATION_FAILED`; `INVALID_QUERY` for a read, whose input stands in the query of its URL
 */
function parseInput({ input: schema, method }: AnyAction | AnyRecordAction, input: unknown): unknown {
  const problem = findInputProblem(input);
  const parsed = problem ? { issues: [problem] } : schema ? validateBySchema(schema, input) : parseNothing(input);
  if (!parsed.issues) return parsed.value;
  const issues = toInputIssues(parsed.issues);
  if (method === 'GET') throw new CodedError('INVALID_QUERY', 'The query is not valid.', { issues });
  throw validationFailed(issues);
}

/** Over HTTP, a request without input may be `{}`, too. */
function parseNothing(input: unknown): { readonly value: undefined; readonly issues?: readonly Issue[] } {
  if (input === undefined || (isObject(input) && Object.keys(input).length === 0)) return { value: undefined };
  const issue = { path: [], code: 'unrecognized_keys', message: 'This action takes no input.' };
  return { value: undefined, issues: [issue] };
}

/** Drops all that the output schema does not declare. */
function toResult({ output }: AnyAction | AnyRecordAction, result: unknown): unknown {
  if (result instanceof Response || !output) return result;
  const parsed = validateBySchema(output, result);
  if (!parsed.issues) return parsed.value;
  const problems = parsed.issues.map((issue) => `${pathOfIssue(issue).join('.')}: ${issue.message}`);
  throw new TypeError(`The handler's result does not fit the output schema: ${problems.join('; ')}`);
}
