import { allAwaitable, type Awaitable } from '@x/errors';
import type { AccessCheck } from '../outcome/access-check.ts';
import { checkAll, checkQuestion } from './evaluate.ts';
import {
  type AccessQuestion,
  type CheckRequest,
  type EvaluationContext,
  isKnownResource,
} from './question.ts';
import { loadDenials } from './role-layer.ts';

/** Several entitlements on one record. */
export interface RecordRequest extends Omit<CheckRequest, 'entitlement'> {
  readonly entitlements: readonly string[];
}

/**
 * Finds all reasons for denial of each of the entitlements on each of many records; makes at most 5 store calls. If all
 * of them depend on roles alone, or on there being a tenant as well, records that share an array of entitlements, and on
 * which the user has the same roles, get the same array of checks.
 */
export async function checkEach(
  context: EvaluationContext,
  records: readonly RecordRequest[],
): Promise<readonly (readonly AccessCheck[])[]> {
  const questions = context.caller.userId === null ? null : toRoleQuestions(context, records);
  if (questions === null) return checkOneByOne(context, records);
  await loadDenials(questions.flat(), context);
  const tenants = await findTenantsOfRecords(context, questions);
  const [inTenant, outside] = [new ChecksByRoles(context), new ChecksByRoles(context)];
  return allAwaitable(
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

/** Finds the tenant of each record, where one is needed. */
function findTenantsOfRecords(
  { reads }: EvaluationContext,
  questions: readonly (readonly AccessQuestion[])[],
): Awaitable<readonly unknown[]> {
  const isNeeded = questions.some((ofRecord) => ofRecord.some(({ entitlement }) => entitlement.gate !== null));
  return isNeeded ? allAwaitable(questions.map(([first]) => reads.tenantOf(first?.resource ?? null))) : [];
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

type Checks = Awaitable<readonly AccessCheck[]>;

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
    return allAwaitable(questions.map((question) => checkQuestion(this.#context, question)));
  }
}
