import { didYouMean, findUnknownOptions } from '@x/errors';
import { compile } from '../rule/compile-rule.ts';
import { foldPredicate } from '../rule/predicate.ts';
import type { Rule } from '../rule/rules.ts';
import { isRecord, own } from '../unknown-input.ts';
import { resourceTypeOf, roleMapOf } from './compile-access.ts';
import type { AccessModel, EntitlementModel, EntityModel } from './access-model.ts';
import { findPlanProblems } from './find-plan-problems.ts';
import { findListProblems, namePattern, toEntries, toList } from './shape-problems.ts';

/** Finds all problems of a model, one sentence each, starting with its place. The model may be any value. */
export function findProblems(model: unknown): readonly string[] {
  if (!isRecord(model)) return ['model: must be an object.'];
  const shape = [
    ...findUnknownOptions<AccessModel>(model, { entities: true, entitlements: true, plans: true, defaultPlan: true }),
    ...['entities', 'entitlements']
      .filter((name) => !isRecord(own(model, name)))
      .map((name) => `${name}: must be an object.`),
  ];
  const entities = toEntries(own(model, 'entities'));
  const entitlements = toEntries(own(model, 'entitlements'));
  const roles = new Map(entities.map(([type, entity]) => [type, toRoles(entity)]));
  const known: KnownNames = {
    roles,
    entitlements: new Set(entitlements.map(([name]) => name)),
    plans: new Set(toEntries(own(model, 'plans')).map(([name]) => name)),
  };
  const found = [
    ...shape,
    ...entities.flatMap(([type, entity]) => findEntityProblems(type, entity, known)),
    ...entitlements.flatMap(([name, entitlement]) => findEntitlementProblems(name, entitlement, known)),
    ...findPlanProblems(model, known.entitlements),
  ];
  // Circles are only looked for if everything else is valid.
  return found.length > 0 ? found : findCircles((model as unknown as AccessModel).entities);
}

/** The names that a model defines. */
interface KnownNames {
  readonly roles: ReadonlyMap<string, ReadonlySet<unknown>>;
  readonly entitlements: ReadonlySet<string>;
  readonly plans: ReadonlySet<string>;
}

function findEntityProblems(type: string, entity: unknown, known: KnownNames): readonly string[] {
  const place = `entities.${type}`;
  if (!isRecord(entity)) return [`${place}: must be an object.`];
  const inherits = own(entity, 'inherits');
  return [
    ...(namePattern.test(type)
      ? []
      : [`${place}: a type's name must start with a letter and contain only letters, digits and \`_.-\`.`]),
    ...findUnknownOptions<EntityModel>(entity, { roles: true, inherits: true }, place),
    ...findListProblems(own(entity, 'roles'), { place: `${place}.roles`, noun: 'role' }),
    ...(Array.isArray(inherits) ? findParentProblems(`${place}.inherits`, { type, parents: inherits }, known) : []),
    ...(inherits === undefined || isRecord(inherits) || Array.isArray(inherits)
      ? []
      : [`${place}.inherits: must be an object or a list.`]),
    ...toEntries(inherits).flatMap(([name, role]) => findInheritanceProblems({ place, type, name, role }, known)),
  ];
}

interface ListedParents {
  readonly type: string;
  readonly parents: readonly unknown[];
}

function findParentProblems(place: string, { type, parents }: ListedParents, { roles }: KnownNames): readonly string[] {
  const ownRoles = roles.get(type);
  return [
    ...findListProblems(parents, { place, noun: 'type' }),
    ...parents.flatMap((parent) => {
      const parentRoles = roles.get(String(parent));
      if (!parentRoles)
        return [`${place}: there is no type \`${String(parent)}\`${didYouMean(parent, roles.keys(), '.')}`];
      if ([...parentRoles].some((role) => ownRoles?.has(role))) return [];
      return [`${place}: \`${String(parent)}\` has no role of the same name as one of \`${type}\`.`];
    }),
  ];
}

interface DeclaredInheritance {
  readonly place: string;
  readonly type: string;
  /** `'<parent type>:<parent role>'` */
  readonly name: string;
  readonly role: unknown;
}

function findInheritanceProblems(
  { place, type, name, role }: DeclaredInheritance,
  { roles }: KnownNames,
): readonly string[] {
  const at = `${place}.inherits['${name}']`;
  const [parentType = '', parentRole, ...rest] = name.split(':');
  const parentRoles = roles.get(parentType);
  const problems: string[] = [];
  if (parentRole === undefined || rest.length > 0) problems.push(`${at}: is not '<parent type>:<parent role>'.`);
  else if (!parentRoles)
    problems.push(`${at}: there is no type \`${parentType}\`${didYouMean(parentType, roles.keys(), '.')}`);
  else if (!parentRoles.has(parentRole)) problems.push(`${at}: ${lacksRole(parentType, parentRole, parentRoles)}`);
  const ownRoles = roles.get(type);
  if (!ownRoles?.has(role)) problems.push(`${at}: ${lacksRole(type, role, ownRoles)}`);
  return problems;
}

function lacksRole(type: string, role: unknown, roles: ReadonlySet<unknown> = new Set()): string {
  return `\`${type}\` has no role \`${String(role)}\`${didYouMean(role, Array.from(roles, String), '.')}`;
}

function findEntitlementProblems(name: string, entitlement: unknown, known: KnownNames): readonly string[] {
  const place = `entitlements['${name}']`;
  if (!isRecord(entitlement)) return [`${place}: must be an object.`];
  const [type = '', action = '', ...rest] = name.split(':');
  const roles = known.roles.get(type);
  const problems: string[] = [];
  if (rest.length > 0 || !namePattern.test(action)) problems.push(`${place}: is not '<type>:<action>'.`);
  else if (!roles) problems.push(`${place}: there is no type \`${type}\`${didYouMean(type, known.roles.keys(), '.')}`);
  const given = own(entitlement, 'roles');
  const flags = own(entitlement, 'flags');
  const plans = own(entitlement, 'plans');
  const rules = own(entitlement, 'rules');
  return [
    ...problems,
    ...findUnknownOptions<EntitlementModel>(entitlement, { roles, flags, plans, rules }, place),
    ...findListProblems(given, { place: `${place}.roles`, noun: 'role' }),
    ...(roles ? toList(given).filter((role) => typeof role === 'string' && !roles.has(role)) : []).map(
      (role) => `${place}.roles: ${lacksRole(type, role, roles)}`,
    ),
    ...(flags === undefined ? [] : findListProblems(flags, { place: `${place}.flags`, noun: 'flag' })),
    ...(plans === undefined ? [] : findListProblems(plans, { place: `${place}.plans`, noun: 'plan' })),
    ...toList(plans)
      .filter((plan) => typeof plan === 'string' && !known.plans.has(plan))
      .map((plan) => `${place}.plans: there is no plan \`${String(plan)}\`${didYouMean(plan, known.plans, '.')}`),
    ...findRuleProblems(rules, `${place}.rules`, known),
  ];
}

/** Rules must not refer to other entitlements, because an entitlement could then depend on itself. */
function findRuleProblems(rule: unknown, place: string, known: KnownNames): readonly string[] {
  if (rule === undefined) return [];
  const problems: string[] = [];
  const report = (problem: string): void => void problems.push(problem);
  const predicate = compile(rule as Rule, { model: known, place, report });
  const namesEntitlement = foldPredicate(
    predicate,
    ({ type }) => type === 'entitlement',
    (_, parts) => parts.some(Boolean),
  );
  if (namesEntitlement) report(`${place}: the rules of an entitlement can't name an entitlement.`);
  return problems;
}

function toRoles(entity: unknown): ReadonlySet<unknown> {
  return new Set(isRecord(entity) ? toList(own(entity, 'roles')) : []);
}

/** Finds the types that inherit from each other in a circle. A type may inherit from itself: its instances nest. */
function findCircles(entities: AccessModel['entities']): readonly string[] {
  const parents = new Map(Object.keys(entities).map((type) => [type, parentsOf(type, roleMapOf(entities, type))]));
  const circles = new Map<string, readonly string[]>();
  for (const start of parents.keys()) {
    const circle = findPathBack(start, parents);
    const name = circle?.toSorted().join() ?? '';
    if (circle && !circles.has(name)) circles.set(name, circle);
  }
  return [...circles.values()].map((circle) => {
    const [first = ''] = circle;
    return `entities: ${[...circle, first].map((type) => `\`${type}\``).join(' inherits from ')}, in a circle.`;
  });
}

function parentsOf(type: string, inherits: Readonly<Record<string, string>>): ReadonlySet<string> {
  const types = Object.keys(inherits).map(resourceTypeOf);
  return new Set(types.filter((parent) => parent !== type));
}

/** Finds the shortest path from a type up to itself. */
function findPathBack(start: string, parents: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | undefined {
  const paths = new Map<string, readonly string[]>([[start, [start]]]);
  for (const [type, path] of paths) {
    for (const parent of parents.get(type) ?? []) {
      if (parent === start) return path;
      if (!paths.has(parent)) paths.set(parent, [...path, parent]);
    }
  }
  return undefined;
}
