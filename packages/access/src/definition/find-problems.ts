import { compile } from '../rule/compile-rule.ts';
import type { AccessModel } from './access-model.ts';
import { findCircles } from './find-circles.ts';

/** Finds all that is wrong with a model, one sentence each, starting with its place. The model may be anything at all. */
export function findProblems(model: unknown): readonly string[] {
  if (!isObject(model)) return ['model: is no object.'];
  const shape = [
    ...findUnknown(model, 'model', ['entities', 'entitlements']),
    ...['entities', 'entitlements']
      .filter((name) => !isObject(own(model, name)))
      .map((name) => `${name}: is no object.`),
  ];
  const entities = toEntries(own(model, 'entities'));
  const entitlements = toEntries(own(model, 'entitlements'));
  const roles = new Map(entities.map(([type, entity]) => [type, toRoles(entity)]));
  const known: Known = { roles, entitlements: new Set(entitlements.map(([name]) => name)) };
  const found = [
    ...shape,
    ...entities.flatMap(([type, entity]) => findEntityProblems(type, entity, known)),
    ...entitlements.flatMap(([name, entitlement]) => findEntitlementProblems(name, entitlement, known)),
  ];
  // A circle is looked for in what is sound apart from it.
  return found.length > 0 ? found : findCircles((model as unknown as AccessModel).entities);
}

/** The names that a model defines. */
interface Known {
  readonly roles: ReadonlyMap<string, ReadonlySet<unknown>>;
  readonly entitlements: ReadonlySet<string>;
}

/** Letters, digits and a few signs; no colon, which stands between names, and nothing that objects have by themselves. */
const namePattern = /^[A-Za-z][\w.-]*$/;

function findEntityProblems(type: string, entity: unknown, known: Known): readonly string[] {
  const place = `entities.${type}`;
  if (!isObject(entity)) return [`${place}: is no object.`];
  const inherits = own(entity, 'inherits');
  return [
    ...(namePattern.test(type) ? [] : [`${place}: a type's name has letters, digits and \`_.-\`, a letter first.`]),
    ...findUnknown(entity, place, ['roles', 'inherits']),
    ...findListProblems(own(entity, 'roles'), `${place}.roles`, 'role'),
    ...(inherits === undefined || isObject(inherits) ? [] : [`${place}.inherits: is no object.`]),
    ...toEntries(inherits).flatMap(([name, role]) => findHopProblems({ place, type, name, role }, known)),
  ];
}

interface Hop {
  readonly place: string;
  readonly type: string;
  /** `'<parent type>:<parent role>'` */
  readonly name: string;
  readonly role: unknown;
}

function findHopProblems({ place, type, name, role }: Hop, { roles }: Known): readonly string[] {
  const at = `${place}.inherits['${name}']`;
  const [parentType = '', parentRole, ...rest] = name.split(':');
  const parentRoles = roles.get(parentType);
  const problems: string[] = [];
  if (parentRole === undefined || rest.length > 0) problems.push(`${at}: is not '<parent type>:<parent role>'.`);
  else if (!parentRoles) problems.push(`${at}: there is no type \`${parentType}\`.`);
  else if (!parentRoles.has(parentRole)) problems.push(`${at}: \`${parentType}\` has no role \`${parentRole}\`.`);
  if (!roles.get(type)?.has(role)) problems.push(`${at}: \`${type}\` has no role \`${String(role)}\`.`);
  return problems;
}

function findEntitlementProblems(name: string, entitlement: unknown, known: Known): readonly string[] {
  const place = `entitlements['${name}']`;
  if (!isObject(entitlement)) return [`${place}: is no object.`];
  const [type = '', action = '', ...rest] = name.split(':');
  const roles = known.roles.get(type);
  const problems: string[] = [];
  if (rest.length > 0 || !namePattern.test(action)) problems.push(`${place}: is not '<type>:<action>'.`);
  else if (!roles) problems.push(`${place}: there is no type \`${type}\`.`);
  const given = own(entitlement, 'roles');
  const flags = own(entitlement, 'flags');
  return [
    ...problems,
    ...findUnknown(entitlement, place, ['roles', 'flags', 'rules']),
    ...findListProblems(given, `${place}.roles`, 'role'),
    ...(roles ? toList(given).filter((role) => typeof role === 'string' && !roles.has(role)) : []).map(
      (role) => `${place}.roles: \`${type}\` has no role \`${String(role)}\`.`,
    ),
    ...(flags === undefined ? [] : findListProblems(flags, `${place}.flags`, 'flag')),
    ...findRuleProblems(own(entitlement, 'rules'), `${place}.rules`, known),
  ];
}

/** An entitlement that rests on another one could rest on itself, so none may. */
function findRuleProblems(rule: unknown, place: string, known: Known): readonly string[] {
  if (rule === undefined) return [];
  const problems: string[] = [];
  const report = (problem: string): void => void problems.push(problem);
  const predicate = compile(rule as Parameters<typeof compile>[0], { model: known, place, report });
  if (JSON.stringify(predicate).includes('"type":"entitlement"')) {
    report(`${place}: the rules of an entitlement can't name an entitlement.`);
  }
  return problems;
}

function findListProblems(list: unknown, place: string, noun: string): readonly string[] {
  if (!Array.isArray(list)) return [`${place}: is no list.`];
  return list.flatMap((item: unknown, index) => {
    if (typeof item !== 'string' || !namePattern.test(item)) {
      return [
        `${place}: a ${noun}'s name has letters, digits and \`_.-\`, a letter first; \`${String(item)}\` has not.`,
      ];
    }
    return list.indexOf(item) < index ? [`${place}: \`${item}\` is there twice.`] : [];
  });
}

/** A setting that means nothing may be one that was misspelt, and then whatever it should forbid is allowed. */
function findUnknown(value: object, place: string, known: readonly string[]): readonly string[] {
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => `${place}: \`${name}\` means nothing here.`);
}

function toRoles(entity: unknown): ReadonlySet<unknown> {
  return new Set(isObject(entity) ? toList(own(entity, 'roles')) : []);
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toEntries(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
