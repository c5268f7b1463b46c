import { allAwaitable, type Awaitable, mapAwaitable } from '@x/errors';
import { type AccessCheck, type Denial, toAccessCheck, toAllowed } from '../outcome/access-check.ts';
import { flagLayer } from './flag-layer.ts';
import { type Layer, loadAll } from './layer.ts';
import { planLayer } from './plan-layer.ts';
import { type AccessQuestion, type CheckRequest, type EvaluationContext, toCheckKey, toQuestion } from './question.ts';
import { loadDenials, roleLayer } from './role-layer.ts';
import { ruleLayer } from './rule-layer.ts';
import { walletLayer } from './wallet-layer.ts';

/** The layers that consume nothing, in the order of evaluation. The hierarchy is part of the role layer. */
export const unmeteredLayers: readonly Layer[] = [flagLayer, roleLayer, ruleLayer, planLayer];

/** The layers whose decision is the same for all resources of a tenant. */
export const tenantLayers: readonly Layer[] = [flagLayer, planLayer, walletLayer];

const layers: readonly Layer[] = [...unmeteredLayers, walletLayer];
const nonRoleLayers = layers.filter((layer) => layer !== roleLayer);

/** The denial of everything to callers who are not signed in. */
export const notAuthenticated: Denial = { reasons: ['not_authenticated'], meta: {} };

/** The denial of entitlements that are not defined: nobody has a role for them. */
export const notDefined: Denial = { reasons: ['role_required'], meta: {} };

/** Says whether the caller has an entitlement; synchronously if nothing has to be read. */
export function isAllowed(context: EvaluationContext, request: CheckRequest): Awaitable<boolean> {
  if (context.caller.userId === null) return false;
  const question = toQuestion(context, request);
  if (question instanceof Promise) return question.then((known) => passesAll(known, context));
  return passesAll(question, context);
}

/**
 * Evaluates the layers in their order, starting at `from`, up to the first one that denies. `can` in memory
 * is a hot path, so it allocates no function for each layer, as `mapAwaitable` would.
 */
function passesAll(question: AccessQuestion | null, context: EvaluationContext, from = 0): Awaitable<boolean> {
  if (!question) return false;
  for (let index = from; index < layers.length; index += 1) {
    const passes = layers[index]?.passes(question, context) ?? false;
    if (passes instanceof Promise) return passes.then((passed) => passed && passesAll(question, context, index + 1));
    if (!passes) return false;
  }
  return true;
}

/** Says which of many entitlements the caller has, by their keys; makes at most 4 store calls. */
export async function areAllowed(
  context: EvaluationContext,
  requests: readonly CheckRequest[],
): Promise<ReadonlyMap<string, boolean>> {
  if (context.caller.userId === null) return new Map(requests.map((request) => [toCheckKey(request), false]));
  const questions = await allAwaitable(requests.map((request) => toQuestion(context, request)));
  const known = questions.filter((question) => question !== null);
  await loadAll(layers, known, context);
  const allowed = await allAwaitable(questions.map((question) => passesAll(question, context)));
  return new Map(requests.map((request, index) => [toCheckKey(request), allowed[index] ?? false]));
}

/** Finds all reasons for which an entitlement is denied. */
export async function check(context: EvaluationContext, request: CheckRequest): Promise<AccessCheck> {
  if (context.caller.userId === null) return toAccessCheck([notAuthenticated]);
  return checkQuestion(context, await toQuestion(context, request));
}

/** Finds all reasons for which each of many entitlements is denied, in their order; makes at most 5 store calls. */
export async function checkAll(
  context: EvaluationContext,
  requests: readonly CheckRequest[],
): Promise<readonly AccessCheck[]> {
  if (context.caller.userId === null) return requests.map(() => toAccessCheck([notAuthenticated]));
  const questions = await allAwaitable(requests.map((request) => toQuestion(context, request)));
  const known = questions.filter((question) => question !== null);
  // Roles first: they usually bring along the tenants that the other layers need.
  await loadDenials(known, context);
  const others = known.filter(({ entitlement }) => !entitlement.needsRolesOnly);
  if (others.length > 0) await loadAll(nonRoleLayers, others, context);
  return allAwaitable(questions.map((question) => checkQuestion(context, question)));
}

/** Finds all reasons for which a validated question is denied; synchronously if nothing has to be read. */
export function checkQuestion(context: EvaluationContext, question: AccessQuestion | null): Awaitable<AccessCheck> {
  if (!question) return toAccessCheck([notDefined]);
  const denials: Awaitable<Denial | null>[] = [];
  for (const layer of layers) {
    const denial = layer.findDenial(question, context);
    if (denial !== null) denials.push(denial);
  }
  return denials.length === 0 ? toAllowed() : mapAwaitable(allAwaitable(denials), toAccessCheck);
}
