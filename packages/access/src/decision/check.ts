import { type AccessCheck, toAccessCheck } from '../outcome/access-check.ts';
import type { Tenant } from '../reads/access-reads.ts';
import { findReasons, layers, loadLayers, notAuthenticated, notDefined } from './layers.ts';
import {
  type AccessQuestion,
  type CheckRequest,
  type EvaluationContext,
  isKnownResource,
  toQuestion,
} from './question.ts';
import { loadRoleDenials, roleLayer } from './role-layer.ts';

const nonRoleLayers = layers.filter((layer) => layer !== roleLayer);

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
  const questions = await Promise.all(requests.map(async (request) => toQuestion(context, request)));
  const known = questions.filter((question) => question !== null);
  // Roles first: they usually bring along the tenants that the other layers need.
  await loadRoleDenials(context, known);
  const others = known.filter(({ entitlement }) => !entitlement.needsRolesOnly);
  if (others.length > 0) await loadLayers(context, nonRoleLayers, others);
  return Promise.all(questions.map((question) => checkQuestion(context, question)));
}

/** Asks all layers. Most have nothing to say about most of the questions of a page, so those are not awaited. */
async function checkQuestion(context: EvaluationContext, question: AccessQuestion | null): Promise<AccessCheck> {
  if (!question) return toAccessCheck([notDefined]);
  const denials = layers.map((layer) => findReasons(context, layer, question)).filter((denial) => denial !== null);
  return toAccessCheck(await Promise.all(denials));
}

/** Several entitlements on one record. */
export interface RecordRequest extends Omit<CheckRequest, 'entitlement'> {
  readonly entitlements: readonly string[];
}

/**
 * Finds all reasons for denial of each of the entitlements on each of many records; makes at most 5 store calls. If all
 * of them depend on roles alone, or on there being a tenant as well, records that share an array of entitlements, and
 * on which the user has the same roles, get the same array of checks.
 */
export async function checkEach(
  context: EvaluationContext,
  records: readonly RecordRequest[],
): Promise<readonly (readonly AccessCheck[])[]> {
  const questions = context.caller.userId === null ? null : toRoleQuestions(context, records);
  if (questions === null) return checkOneByOne(context, records);
  await loadRoleDenials(context, questions.flat());
  const tenants = await findTenants(context, questions);
  const [inTenant, outside] = [new ChecksByRoles(context), new ChecksByRoles(context)];
  return Promise.all(
    records.map(({ entitlements }, at) => (tenants[at] ? inTenant : outside).of(entitlements, questions[at] ?? [])),
  );
}

/**
 * Returns the questions about each record; null if one of them depends on more than roles and a tenant, is about an
 * entitlement that is not defined, or concerns an unknown resource.
 */
function toRoleQuestions(
  { access }: EvaluationContext,
  records: readonly RecordRequest[],
): readonly (readonly AccessQuestion[])[] | null {
  const questions: AccessQuestion[][] = [];
  for (const { entitlements, resource } of records) {
    if (!resource || !isKnownResource(access, resource)) return null;
    const ofRecord: AccessQuestion[] = [];
    for (const name of entitlements) {
      const entitlement = access.entitlements.get(name);
      if (!entitlement?.needsRolesAndTenantOnly) return null;
      ofRecord.push({ entitlement, resource, row: null });
    }
    questions.push(ofRecord);
  }
  return questions;
}

/** Finds the tenant of each record; none at all if no entitlement needs one. */
async function findTenants(
  { reads }: EvaluationContext,
  questions: readonly (readonly AccessQuestion[])[],
): Promise<readonly (Tenant | null)[]> {
  const isNeeded = questions.some((ofRecord) => ofRecord.some(({ entitlement }) => entitlement.gate !== null));
  return isNeeded ? Promise.all(questions.map(([first]) => reads.tenantOf(first?.resource ?? null))) : [];
}

async function checkOneByOne(
  context: EvaluationContext,
  records: readonly RecordRequest[],
): Promise<readonly (readonly AccessCheck[])[]> {
  const requests = records.flatMap(({ entitlements, ...subject }) =>
    entitlements.map((entitlement) => ({ entitlement, ...subject })),
  );
  const found = await checkAll(context, requests);
  let next = 0;
  return records.map(({ entitlements }) => found.slice(next, (next += entitlements.length)));
}

type Checks = Promise<readonly AccessCheck[]>;

/** The checks so far, by the array of entitlements, the type of the resource and the roles on it. */
class ChecksByRoles {
  readonly #context: EvaluationContext;
  readonly #known = new Map<readonly string[], Map<string, Map<readonly string[], Checks>>>();

  constructor(context: EvaluationContext) {
    this.#context = context;
  }

  of(entitlements: readonly string[], questions: readonly AccessQuestion[]): Checks {
    const resource = questions[0]?.resource;
    const roles = resource && this.#context.reads.roles.loaded(resource);
    // If no role would be enough, none was read.
    if (!roles) return this.#check(questions);
    const known = this.#known.get(entitlements)?.get(resource.type)?.get(roles);
    return known ?? this.#remember(entitlements, resource.type, roles, this.#check(questions));
  }

  #remember(entitlements: readonly string[], type: string, roles: readonly string[], checks: Checks): Checks {
    const ofAll = this.#known.get(entitlements) ?? new Map<string, Map<readonly string[], Checks>>();
    const ofType = ofAll.get(type) ?? new Map<readonly string[], Checks>();
    this.#known.set(entitlements, ofAll.set(type, ofType.set(roles, checks)));
    return checks;
  }

  #check(questions: readonly AccessQuestion[]): Checks {
    return Promise.all(questions.map((question) => checkQuestion(this.#context, question)));
  }
}
