import type { AccessDefinition } from '@x/access';
import { describeUnknownOption, didYouMean, findUnknownOptions } from '@x/errors';
import { type CompoundOperation, isCompound, neededOperations, operations } from '../authorization/authorization.ts';
import type { Field } from '../model/field.ts';
import type { Model } from '../model/model.ts';
import type { AccessMap, FieldAccessMap, ResourceBinding } from './entity.ts';

/** The parts of a declaration that are checked. */
interface DeclaredEntity {
  readonly model: Model;
  readonly access: AccessMap & { readonly fields?: FieldAccessMap };
  readonly tenant: string | undefined;
  readonly maxLimit: number;
  readonly maxPageBytes: number;
  readonly definition: AccessDefinition | undefined;
  readonly resource: ResourceBinding | undefined;
  readonly recordAccess: readonly string[];
}

/** Lists the problems of an entity's declaration, except those of its rules. */
export function findEntityProblems(declared: DeclaredEntity): readonly string[] {
  const { model, access, tenant, maxLimit, maxPageBytes } = declared;
  return [
    ...findAccessProblems(model, access),
    ...findFieldProblems({ model, fields: access.fields ?? {}, tenant, isCreatable: Boolean(access.create) }),
    ...(tenant === undefined ? [] : findTenantProblems(model, tenant)),
    ...(isPageSize(maxLimit) ? [] : [`${model.name}: maxLimit must be a whole number from 1 to 1000.`]),
    ...(maxPageBytes >= 1024 ? [] : [`${model.name}: maxPageBytes must be a number from 1024.`]),
    ...findResourceProblems(declared),
    ...(model.parents.length > 1 && !declared.resource
      ? [`${model.name}.parent: several parents need a \`resource\`, whose place says which of them counts.`]
      : []),
    ...findRecordAccessProblems(declared),
  ];
}

function isPageSize(limit: number): boolean {
  return Number.isInteger(limit) && limit >= 1 && limit <= 1000;
}

function findAccessProblems({ name, existing }: Model, access: AccessMap): readonly string[] {
  const missing = operations.filter((operation) => !isCompound(operation) && access[operation] === undefined);
  const known: readonly string[] = [...operations, 'fields'];
  const unknown = Object.keys(access).filter((each) => !known.includes(each));
  return [
    ...unknown.map((each) => describeUnknownOption(each, known, `${name}.access`)),
    ...missing.map((operation) => `${name}.access.${operation}: a rule is missing; \`false\` allows no caller.`),
    ...operations.filter(isCompound).flatMap((operation) => findNeedProblems(name, access, operation)),
    ...(existing?.isReadOnly ? (['create', 'update', 'delete'] as const) : []).flatMap((operation) =>
      access[operation] ? [`${name}.access.${operation}: the model is readOnly, so it is \`false\`.`] : [],
    ),
  ];
}

function findNeedProblems(name: string, access: AccessMap, operation: CompoundOperation): readonly string[] {
  const needed = access[operation] ? neededOperations[operation].filter((each) => !access[each]) : [];
  return needed.map((each) => `${name}.access.${operation}: no caller can use it without a rule for ${each}.`);
}

function findTenantProblems({ name, fields }: Model, tenant: string): readonly string[] {
  const field = Object.hasOwn(fields, tenant) ? fields[tenant] : undefined;
  if (!field) return [`${name}: the tenant ${tenant} is not a field${didYouMean(tenant, Object.keys(fields), '.')}`];
  const isText = field.type === 'text' || field.type === 'uuid';
  return isText && field.options.serverValue
    ? []
    : [`${name}: the tenant ${tenant} must be a text or uuid that the server sets.`];
}

function findResourceProblems({ model, definition, resource }: DeclaredEntity): readonly string[] {
  if (!resource) return [];
  if (!definition) return [`${model.name}: \`definition\` must declare the type ${resource.type}.`];
  const { type, creatorRole } = resource;
  if (!Object.hasOwn(definition.entities, type)) {
    const types = Object.keys(definition.entities);
    return [`${model.name}: there is no type \`${type}\` of resource${didYouMean(type, types, '.')}`];
  }
  const { roles = [] } = definition.entities[type] ?? {};
  return creatorRole === undefined || roles.includes(creatorRole)
    ? []
    : [`${model.name}: there is no role \`${creatorRole}\` on a ${type}${didYouMean(creatorRole, roles, '.')}`];
}

function findRecordAccessProblems({ model, definition, recordAccess }: DeclaredEntity): readonly string[] {
  const known = Object.keys(definition?.entitlements ?? {});
  return recordAccess
    .filter((name) => !known.includes(name))
    .map((name) => `${model.name}.recordAccess: there is no entitlement \`${name}\`${didYouMean(name, known, '.')}`);
}

/** The parts of a declaration that rules of fields are checked against. */
interface DeclaredFields {
  readonly model: Model;
  readonly fields: FieldAccessMap;
  readonly tenant: string | undefined;
  /** Whether records can be created at all. */
  readonly isCreatable: boolean;
}

/** Lists rules of fields that can have no effect, or would make the entity useless. */
function findFieldProblems(declared: DeclaredFields): readonly string[] {
  const { model, fields } = declared;
  return Object.entries(fields).flatMap(([name, access]) => {
    const place = `${model.name}.access.fields.${name}`;
    const field = Object.hasOwn(model.fields, name) ? model.fields[name] : undefined;
    const problems = field
      ? [
          ...(access?.read === undefined && access?.write === undefined ? ['has no rule'] : []),
          ...(access?.read === undefined ? [] : findReadProblems(declared, name, field)),
          ...(access?.write === undefined ? [] : findWriteProblems(declared, field, access.write)),
        ]
      : [
          model.allFields.has(name)
            ? 'every record shows it, and no caller can write it'
            : `is not a field${didYouMean(name, Object.keys(model.fields))}`,
        ];
    return [
      ...findUnknownOptions(access, { read: true, write: true }, place),
      ...problems.map((problem) => `${place}: ${problem.endsWith('?') ? problem : `${problem}.`}`),
    ];
  });
}

function findReadProblems({ model, tenant }: DeclaredFields, name: string, { options }: Field): readonly string[] {
  return [
    ...(options.hidden ? ['is hidden, so no caller can read it'] : []),
    ...(name === tenant ? ['is the tenant, which everybody who sees a record knows'] : []),
    ...(model.parents.includes(name) ? ['is the parent, which everybody who sees a record knows'] : []),
  ];
}

function findWriteProblems({ isCreatable }: DeclaredFields, { options }: Field, rule: unknown): readonly string[] {
  const { hidden, readOnly, generated, serverValue, nullable, default: fallback } = options;
  if (hidden || readOnly || generated || serverValue) return ['callers can never write it'];
  const isNeeded = !nullable && fallback === undefined;
  return rule === false && isNeeded && isCreatable
    ? ['no caller could create a record: give it a default, or let it be null']
    : [];
}
