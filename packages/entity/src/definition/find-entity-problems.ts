import type { AccessDefinition } from '@x/access';
import type { Model } from '../model/model.ts';
import type { AccessMap, FieldAccessMap, ResourceBinding } from './entity.ts';
import { findFieldProblems } from './find-field-problems.ts';
import { operations } from '../authorization/operation-rule.ts';

/** The parts of a declaration that are checked. */
export interface DeclaredEntity {
  readonly model: Model;
  readonly access: AccessMap & { readonly fields?: FieldAccessMap };
  readonly tenant: string | undefined;
  readonly maxLimit: number;
  readonly definition: AccessDefinition | undefined;
  readonly resource: ResourceBinding | undefined;
  readonly recordAccess: readonly string[];
}

/** Lists the problems of an entity's declaration, except those of its rules. */
export function findEntityProblems(declared: DeclaredEntity): readonly string[] {
  const { model, access, tenant, maxLimit } = declared;
  return [
    ...findAccessProblems(model, access),
    ...findFieldProblems({ model, fields: access.fields ?? {}, tenant, isCreatable: Boolean(access.create) }),
    ...(tenant === undefined ? [] : findTenantProblems(model, tenant)),
    ...(isPageSize(maxLimit) ? [] : [`${model.name}: maxLimit must be a whole number from 1 to 1000.`]),
    ...findResourceProblems(declared),
    ...findRecordAccessProblems(declared),
  ];
}

function isPageSize(limit: number): boolean {
  return Number.isInteger(limit) && limit >= 1 && limit <= 1000;
}

function findAccessProblems({ name }: Model, access: AccessMap): readonly string[] {
  const known: ReadonlySet<string> = new Set([...operations, 'fields']);
  const unknown = Object.keys(access).filter((key) => !known.has(key));
  const missing = operations.filter((operation) => operation !== 'bulk' && access[operation] === undefined);
  return [
    ...unknown.map((key) => `${name}.access.${key}: there is no such operation.`),
    ...missing.map((operation) => `${name}.access.${operation}: a rule is missing; \`false\` allows nobody.`),
  ];
}

function findTenantProblems({ name, fields }: Model, tenant: string): readonly string[] {
  const field = Object.hasOwn(fields, tenant) ? fields[tenant] : undefined;
  if (!field) return [`${name}: the tenant ${tenant} is not a field.`];
  const isText = field.type === 'text' || field.type === 'uuid';
  return isText && field.options.serverValue
    ? []
    : [`${name}: the tenant ${tenant} must be a text or uuid that the server sets.`];
}

function findResourceProblems({ model, definition, resource }: DeclaredEntity): readonly string[] {
  if (!resource) return [];
  if (!definition) return [`${model.name}: \`definition\` must declare the type ${resource.type}.`];
  const { type, creatorRole } = resource;
  if (!Object.hasOwn(definition.entities, type)) return [`${model.name}: there is no type \`${type}\` of resource.`];
  const isRole = creatorRole === undefined || definition.entities[type]?.roles.includes(creatorRole);
  return isRole ? [] : [`${model.name}: there is no role \`${creatorRole}\` on a ${type}.`];
}

function findRecordAccessProblems({ model, definition, recordAccess }: DeclaredEntity): readonly string[] {
  const unknown = recordAccess.filter((name) => !Object.hasOwn(definition?.entitlements ?? {}, name));
  return unknown.map((name) => `${model.name}.recordAccess: there is no entitlement \`${name}\`.`);
}
