import { toAccessCheck, type AccessCheck } from '../decision/access-check.ts';
import type { LayerContext } from '../layer/layer.ts';
import { layers } from '../layer/layers.ts';
import { loadDenials, roleLayer } from '../layer/role-layer.ts';
import { toQuestion, type Asked } from './asking.ts';
import { checkQuestion, notAuthenticated } from './decide.ts';
import { whenAllThere } from './when-there.ts';

const otherLayers = layers.filter((layer) => layer !== roleLayer);

/** Finds all reasons for denial of many entitlements, in their order; makes at most 5 store calls. */
export async function checkAll(context: LayerContext, checks: readonly Asked[]): Promise<readonly AccessCheck[]> {
  if (context.caller.userId === null) return checks.map(() => toAccessCheck([notAuthenticated]));
  const questions = await whenAllThere(checks.map((one) => toQuestion(context, one)));
  const known = questions.filter((question) => question !== null);
  // Roles first: they usually bring along the tenants that the other layers need.
  await loadDenials(known, context);
  const others = known.filter(({ entitlement }) => !entitlement.asksRolesOnly);
  if (others.length > 0) await Promise.all(otherLayers.map((layer) => layer.load(others, context)));
  return whenAllThere(questions.map((question) => checkQuestion(context, question)));
}
