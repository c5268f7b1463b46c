import type { Resource } from '@x/store';
import type { ConditionRow } from '@x/store/where';
import type { AccessCheck } from '../decision/access-check.ts';
import type { AccessQuestion, LayerContext } from '../layer/layer.ts';
import { loadDenials } from '../layer/role-layer.ts';
import { isKnown } from './asking.ts';
import { checkAll } from './check-all.ts';
import { checkQuestion } from './decide.ts';
import { whenAllThere, type Awaitable } from './when-there.ts';

/** Entitlements asked about one record, or about a resource without its record. */
export interface AskedTogether {
  readonly entitlements: readonly string[];
  readonly resource?: Resource | undefined;
  readonly row?: ConditionRow | undefined;
}

/**
 * Finds all reasons for denial of each of the entitlements on each of many records; makes at most 5 store calls. If all
 * of them depend on roles alone, or on there being a tenant as well, records that share an array of entitlements, and on
 * which the user has the same roles, get the same array of verdicts.
 */
export async function checkEach(
  context: LayerContext,
  asked: readonly AskedTogether[],
): Promise<readonly (readonly AccessCheck[])[]> {
  const questions = context.caller.userId === null ? null : toQuestionsOfRoles(context, asked);
  if (questions === null) return checkOneByOne(context, asked);
  await loadDenials(questions.flat(), context);
  const tenants = await findTenants(context, questions);
  const [inTenant, outside] = [new VerdictsByRoles(context), new VerdictsByRoles(context)];
  return whenAllThere(
    asked.map(({ entitlements }, at) => (tenants[at] ? inTenant : outside).of(entitlements, questions[at] ?? [])),
  );
}

/** Finds the tenant of each record, where one is needed. */
function findTenants(
  { reads }: LayerContext,
  questions: readonly (readonly AccessQuestion[])[],
): Awaitable<readonly unknown[]> {
  const isNeeded = questions.some((ofOne) => ofOne.some(({ entitlement }) => entitlement.gate !== null));
  return isNeeded ? whenAllThere(questions.map(([first]) => reads.tenantOf(first?.resource ?? null))) : [];
}

async function checkOneByOne(
  context: LayerContext,
  asked: readonly AskedTogether[],
): Promise<readonly (readonly AccessCheck[])[]> {
  const checks = asked.flatMap(({ entitlements, ...subject }) =>
    entitlements.map((entitlement) => ({ entitlement, ...subject })),
  );
  const found = await checkAll(context, checks);
  let next = 0;
  return asked.map(({ entitlements }) => found.slice(next, (next += entitlements.length)));
}

/** Returns null if anything asked depends on more than roles and a tenant, is not defined, or concerns an unknown resource. */
function toQuestionsOfRoles(
  { access }: LayerContext,
  asked: readonly AskedTogether[],
): readonly (readonly AccessQuestion[])[] | null {
  const questions: AccessQuestion[][] = [];
  for (const { entitlements, resource } of asked) {
    if (!resource || !isKnown(access, resource)) return null;
    const ofOne: AccessQuestion[] = [];
    for (const name of entitlements) {
      const entitlement = access.entitlements.get(name);
      if (!entitlement?.asksRolesAndTenant) return null;
      ofOne.push({ entitlement, resource, row: null });
    }
    questions.push(ofOne);
  }
  return questions;
}

type Verdicts = Awaitable<readonly AccessCheck[]>;

/** The verdicts so far, by the array of entitlements, the type of the resource and the roles on it. */
class VerdictsByRoles {
  readonly #context: LayerContext;
  readonly #known = new Map<readonly string[], Map<string, Map<readonly string[], Verdicts>>>();

  constructor(context: LayerContext) {
    this.#context = context;
  }

  of(entitlements: readonly string[], questions: readonly AccessQuestion[]): Verdicts {
    const resource = questions[0]?.resource;
    const roles = resource && this.#context.reads.roles.peek(resource);
    // If no role would be enough, none was read.
    if (!roles) return this.#check(questions);
    const known = this.#known.get(entitlements)?.get(resource.type)?.get(roles);
    return known ?? this.#keep(entitlements, resource.type, roles, this.#check(questions));
  }

  #keep(entitlements: readonly string[], type: string, roles: readonly string[], verdicts: Verdicts): Verdicts {
    const ofAll = this.#known.get(entitlements) ?? new Map<string, Map<readonly string[], Verdicts>>();
    const ofType = ofAll.get(type) ?? new Map<readonly string[], Verdicts>();
    this.#known.set(entitlements, ofAll.set(type, ofType.set(roles, verdicts)));
    return verdicts;
  }

  #check(questions: readonly AccessQuestion[]): Verdicts {
    return whenAllThere(questions.map((question) => checkQuestion(this.#context, question)));
  }
}
