import { toAccessCheck, toAllowed, type AccessCheck, type Denial } from '../decision/access-check.ts';
import type { AccessQuestion, LayerContext } from '../layer/layer.ts';
import { layers } from '../layer/layers.ts';
import { toCheckKey } from './access-context.ts';
import { toQuestion, type Asked } from './asking.ts';
import { whenAllThere, whenThere, type Awaitable } from './when-there.ts';

/** The denial of everything to callers who are not signed in. */
export const notAuthenticated: Denial = { reasons: ['not_authenticated'], meta: {} };

/** The denial of entitlements that are not defined: nobody has a role for them. */
export const notDefined: Denial = { reasons: ['role_required'], meta: {} };

/** Says whether an entitlement is held; synchronously if nothing has to be read. */
export function isHeld(context: LayerContext, asked: Asked): Awaitable<boolean> {
  if (context.caller.userId === null) return false;
  const question = toQuestion(context, asked);
  if (question instanceof Promise) return question.then((known) => passesAll(known, context));
  return passesAll(question, context);
}

/** Asks the layers in their order, starting at `from`, up to the first one that denies. */
function passesAll(question: AccessQuestion | null, context: LayerContext, from = 0): Awaitable<boolean> {
  if (!question) return false;
  for (let index = from; index < layers.length; index += 1) {
    const passes = layers[index]?.passes(question, context) ?? false;
    if (passes instanceof Promise) return passes.then((passed) => passed && passesAll(question, context, index + 1));
    if (!passes) return false;
  }
  return true;
}

/** Says which of many entitlements are held, by the keys of the questions; makes at most 4 store calls. */
export async function areHeld(context: LayerContext, checks: readonly Asked[]): Promise<ReadonlyMap<string, boolean>> {
  const verdicts = new Map(checks.map((one) => [toCheckKey(one), false]));
  if (context.caller.userId === null) return verdicts;
  const questions = await whenAllThere(checks.map((one) => toQuestion(context, one)));
  const known = questions.filter((question) => question !== null);
  await Promise.all(layers.map((layer) => layer.load(known, context)));
  for (const one of checks) verdicts.set(toCheckKey(one), await isHeld(context, one));
  return verdicts;
}

/** Finds all reasons for denial of an entitlement. */
export async function check(context: LayerContext, asked: Asked): Promise<AccessCheck> {
  if (context.caller.userId === null) return toAccessCheck([notAuthenticated]);
  return checkQuestion(context, await toQuestion(context, asked));
}

/** Does the same for a question that has been built. */
export function checkQuestion(context: LayerContext, question: AccessQuestion | null): Awaitable<AccessCheck> {
  if (!question) return toAccessCheck([notDefined]);
  const denials: Awaitable<Denial | null>[] = [];
  for (const layer of layers) {
    const denial = layer.findDenial(question, context);
    if (denial !== null) denials.push(denial);
  }
  return denials.length === 0 ? toAllowed() : whenThere(whenAllThere(denials), toAccessCheck);
}
