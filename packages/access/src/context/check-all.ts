import type { Resource } from '@x/store';
import { toAccessCheck, type AccessCheck } from '../decision/access-check.ts';
import type { RequiredRoles } from '../definition/compile-access.ts';
import type { AccessQuestion, LayerContext } from '../layer/layer.ts';
import { layers } from '../layer/layers.ts';
import { loadDenials, roleLayer } from '../layer/role-layer.ts';
import { toQuestion, type Asked } from './asking.ts';
import { checkQuestion, notAuthenticated } from './decide.ts';
import { whenAllThere, type Awaitable } from './when-there.ts';

const otherLayers = layers.filter((layer) => layer !== roleLayer);

/** Finds all that stands in the way of each of many entitlements, in their order; makes 5 store calls at most. */
export async function checkAll(context: LayerContext, checks: readonly Asked[]): Promise<readonly AccessCheck[]> {
  if (context.caller.userId === null) return checks.map(() => toAccessCheck([notAuthenticated]));
  const questions = await whenAllThere(checks.map((one) => toQuestion(context, one)));
  const known = questions.filter((question) => question !== null);
  // Roles first: the tenants that the other layers ask for are mostly found by what is read with them.
  await loadDenials(known, context);
  const others = known.filter(({ entitlement }) => !entitlement.asksRolesOnly);
  if (others.length > 0) await Promise.all(otherLayers.map((layer) => layer.load(others, context)));
  const byRoles = new VerdictsByRoles(context);
  return whenAllThere(
    questions.map((question) =>
      question?.entitlement.asksRolesOnly ? byRoles.of(question) : checkQuestion(context, question),
    ),
  );
}

/**
 * The verdicts on entitlements that ask for nothing but roles: one for all resources on which the user has the same roles, as
 * they have on most of a page.
 */
class VerdictsByRoles {
  readonly #context: LayerContext;
  readonly #known = new Map<RequiredRoles, Map<readonly string[], Awaitable<AccessCheck>>>();
  /** What was asked about last: of each record of a page several things are asked. */
  #resource: Resource | null = null;
  #roles: readonly string[] | undefined;

  constructor(context: LayerContext) {
    this.#context = context;
  }

  of(question: AccessQuestion): Awaitable<AccessCheck> {
    const { entitlement, resource } = question;
    const required = resource ? entitlement.on.get(resource.type) : undefined;
    if (!resource || !required) return checkQuestion(this.#context, question);
    if (resource !== this.#resource) {
      this.#resource = resource;
      this.#roles = this.#context.reads.roles.peek(resource);
    }
    const roles = this.#roles;
    return roles ? this.#verdict(required, roles, question) : checkQuestion(this.#context, question);
  }

  #verdict(required: RequiredRoles, roles: readonly string[], question: AccessQuestion): Awaitable<AccessCheck> {
    const ofRoles = this.#known.get(required) ?? new Map<readonly string[], Awaitable<AccessCheck>>();
    if (ofRoles.size === 0) this.#known.set(required, ofRoles);
    const known = ofRoles.get(roles);
    if (known) return known;
    const verdict = checkQuestion(this.#context, question);
    ofRoles.set(roles, verdict);
    return verdict;
  }
}
