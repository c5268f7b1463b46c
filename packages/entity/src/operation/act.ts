import { CodedError } from '@x/errors';
import type { EntityRecord } from '@x/store';
import type { z } from 'zod';
import type { ActionTools } from '../action/action-context.ts';
import type { Action, RecordAction } from '../action/action.ts';
import type { CompiledAction } from '../action/compile-actions.ts';
import type { Entity } from '../definition/entity.ts';
import { invalidInput, toIssues } from '../model/record-input.ts';
import type { OperationRule } from '../authorization/operation-rule.ts';
import { countAttempt } from './count-attempt.ts';
import { admitBy } from '../authorization/decide.ts';
import { toStored } from './hooks.ts';
import { judge } from '../authorization/judge.ts';
import { lookUp, parseId } from './find-record.ts';
import { denied, notFound } from '../authorization/refusals.ts';
import type { Scope } from './scope.ts';

/** A caller's request to run an action. */
export interface ActionCall {
  readonly compiled: CompiledAction;
  /** The record it acts on, if any. */
  readonly target: { readonly entity: Entity; readonly id: string } | null;
  /** The caller's input; undefined for none. */
  readonly input: unknown;
}

/** Creates the tools for a handler. */
export type ToTools = (scope: Scope) => ActionTools;

/**
 * Runs an action with the checks in the same order as for every request: whether the caller may at all, the shape of
 * the input, the rate limit, what the rule requires of the input and then of the record.
 *
 * @throws CodedError
 */
export async function runAction(
  scope: Scope,
  { compiled, target, input }: ActionCall,
  toTools: ToTools,
): Promise<unknown> {
  const { action } = compiled;
  const rule = admitBy(scope, compiled.rule);
  if (action.on === 'collection') {
    if (!action.resourceOf) await assertGranted(scope, rule, null);
    const parsed = parseInput(action, input);
    await countCaller(scope, compiled);
    if (action.resourceOf) await assertGranted(scope, rule, { resource: action.resourceOf(parsed) });
    return toResult(action, await action.handler({ ...toTools(scope), input: parsed }));
  }
  const parsed = parseInput(action, input);
  if (!target) throw notFound();
  const { row, version } = await reach(scope, compiled, { ...target, rule });
  return toResult(action, await action.handler({ ...toTools(scope), input: parsed, record: toStored(row), version }));
}

/** Checks what depends on no record: entitlements on the caller's tenant, or on the resource that the input names. */
async function assertGranted(
  scope: Scope,
  rule: OperationRule | null,
  subject: Parameters<typeof judge>[2],
): Promise<void> {
  if (!rule || rule.grants.length === 0) return;
  const verdict = await judge(scope, rule, subject);
  if (!verdict.allowed) throw denied(verdict);
}

interface Reached {
  readonly entity: Entity;
  readonly id: string;
  readonly rule: OperationRule | null;
}

/**
 * Looks up the record of an action. The attempt is counted before its outcome is known to the caller, and counted on
 * the record only if the caller is allowed: others use up a limit of their own, and learn nothing about the record's.
 */
async function reach(scope: Scope, compiled: CompiledAction, { entity, id, rule }: Reached): Promise<EntityRecord> {
  const { rateLimit } = compiled.action;
  if (rateLimit?.per !== 'record') {
    await countCaller(scope, compiled);
    return lookUp(scope, { entity, id: parseId(id), rule });
  }
  try {
    const record = await lookUp(scope, { entity, id: parseId(id), rule });
    await countOn(scope, compiled, `record ${record.row.id}`);
    return record;
  } catch (error) {
    if (error instanceof CodedError && (error.status === 404 || error.status === 403))
      await countCaller(scope, compiled);
    throw error;
  }
}

/** Callers who are not signed in share one count. */
function countCaller(scope: Scope, compiled: CompiledAction): Promise<void> {
  return countOn(scope, compiled, `caller ${scope.actor.caller.userId ?? ''}`);
}

async function countOn(scope: Scope, { owner, name, action }: CompiledAction, key: string): Promise<void> {
  if (scope.actor.type === 'system' || !action.rateLimit) return;
  await countAttempt(scope, { name: `${owner}.${name}`, limit: action.rateLimit, key });
}

type AnyInput = z.output<z.ZodType>;

function parseInput({ input: schema }: Action | RecordAction, input: unknown): AnyInput {
  if (!schema) return undefined;
  const parsed = schema.safeParse(input, { reportInput: false });
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error.issues.flatMap(toIssues));
}

/** Drops whatever the output schema does not declare. */
function toResult({ output }: Action | RecordAction, result: unknown): unknown {
  return result instanceof Response || !output ? result : output.parse(result);
}
