import type { Denial } from '../outcome/access-check.ts';
import { flagLayer } from './flag-layer.ts';
import type { Layer } from './layer.ts';
import { planLayer } from './plan-layer.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';
import { roleLayer } from './role-layer.ts';
import { ruleLayer } from './rule-layer.ts';
import { walletLayer } from './wallet-layer.ts';

/** The layers that consume nothing, in the order of evaluation. The hierarchy is part of the role layer. */
export const unmeteredLayers: readonly Layer[] = [flagLayer, roleLayer, ruleLayer, planLayer];

/** All layers, in the order of evaluation. */
export const layers: readonly Layer[] = [...unmeteredLayers, walletLayer];

/** The layers whose decision is the same for all resources of a tenant. */
export const tenantLayers: readonly Layer[] = [flagLayer, planLayer, walletLayer];

/** Before the layers, callers who are not signed in are denied everything. */
export const notAuthenticated: Denial = { reasons: ['not_authenticated'], meta: {} };

/** Before the layers, entitlements that are not defined are denied: no user has a role for them. */
export const notDefined: Denial = { reasons: ['role_required'], meta: {} };

/** Reads the state that the layers need for all questions, in at most one call for each layer. */
export async function loadLayers(
  context: EvaluationContext,
  loaded: readonly Layer[],
  questions: readonly AccessQuestion[],
): Promise<void> {
  await Promise.all(loaded.map(async (layer) => layer.load?.(context, questions)));
}

/** Says whether layers allow the questions, evaluated in their order up to the first one that denies. */
export async function passesEach(
  context: EvaluationContext,
  evaluated: readonly Layer[],
  question: AccessQuestion,
): Promise<boolean> {
  for (const layer of evaluated) if ((await layer.findDenial(context, question)) !== null) return false;
  return true;
}

/** Finds out why a layer denies it, if it does; makes at most two store calls, one after the other. */
export function findReasons(
  context: EvaluationContext,
  layer: Layer,
  question: AccessQuestion,
): Promise<Denial | null> | null {
  const found = layer.findDenial(context, question);
  if (found === null) return null;
  return Promise.resolve(found).then((denial) => denial && (layer.explain?.(context, question, denial) ?? denial));
}
