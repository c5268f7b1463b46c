import type { Entity, Field } from '@x/entity';
import type { Parameter } from '../document/document.ts';
import { arrayOf, type JsonSchema, type NamedSchemas, objectOf, schemaRef } from '../schema/json-schema.ts';
import { conditionOn, kindSchemas, type NameKind, operandInUrl, operatorsOn, valueOf } from './operands.ts';
import { type ReferredTo, toSchemaName } from './record-schemas.ts';
import { isOfCaller } from './rule-errors.ts';

/** The names that a query on an entity may use besides fields. */
export interface QueryNames {
  /** Paths of relations. */
  readonly include: readonly string[];
  readonly entitlements: readonly string[];
  readonly related: readonly ReferredTo[];
  readonly kindOf: NameKind;
}

const orderLength: JsonSchema = { minItems: 1, maxItems: 8 };
const includeLength: JsonSchema = { maxItems: 10 };
/** In a URL, an empty list is one empty name or value. */
const atLeastOne: JsonSchema = { minItems: 1 };

/** Lists the parameters of a list, each under its exact name in the URL. */
export function listParameters(entity: Entity, names: QueryNames): readonly Parameter[] {
  const filters = filterableFields(entity, names).flatMap((field) => filterParameters(field, names));
  return [
    ...filters,
    listParameter('orderBy', 'The fields to sort by, each ascending unless it ends in `:desc`. Default: by id.', {
      ...arrayOf(schemaRef(toSchemaName(entity.name, 'Order'))),
      ...orderLength,
    }),
    {
      name: 'limit',
      in: 'query',
      description: 'The maximum number of records on a page, which ends earlier if they are large.',
      schema: limitOf(entity),
    },
    {
      name: 'after',
      in: 'query',
      description: 'The `nextCursor` of the previous page, with the same `orderBy`.',
      schema: { type: 'string' },
    },
    ...getParameters(entity, names),
    {
      name: 'count',
      in: 'query',
      description: 'Whether to return the `total`.',
      schema: { type: 'boolean', default: false },
    },
  ];
}

/** Lists the parameters of an export. */
export function exportParameters(entity: Entity, names: QueryNames): readonly Parameter[] {
  return filterableFields(entity, names).flatMap((field) => filterParameters(field, names));
}

/** Lists the parameters of a get, which lists have, too. */
export function getParameters({ name }: Entity, { include, entitlements }: QueryNames): readonly Parameter[] {
  const listOf = (part: NamePart): JsonSchema => ({ ...arrayOf(schemaRef(toSchemaName(name, part))), ...atLeastOne });
  return [
    listParameter('select', 'The fields to return. Default: all.', listOf('Field')),
    ...(include.length === 0
      ? []
      : [
          listParameter('include', 'The relations to include in each record.', {
            ...listOf('Relation'),
            ...includeLength,
          }),
        ]),
    ...accessParameters({ name }, { entitlements }),
  ];
}

/** Lists the parameter that has entitlements checked, of an entity that has some. */
export function accessParameters(
  { name }: Pick<Entity, 'name'>,
  { entitlements }: Pick<QueryNames, 'entitlements'>,
): readonly Parameter[] {
  if (entitlements.length === 0) return [];
  const schema = { ...arrayOf(schemaRef(toSchemaName(name, 'Entitlement'))), ...atLeastOne };
  return [listParameter('access', 'The entitlements to check on each record; `__access` has the results.', schema)];
}

function listParameter(name: string, description: string, schema: JsonSchema): Parameter {
  return { name, in: 'query', description, style: 'form', explode: false, schema };
}

function limitOf({ maxLimit }: Entity): JsonSchema {
  return { type: 'integer', minimum: 1, maximum: maxLimit, default: Math.min(20, maxLimit) };
}

function orderTerms(entity: Entity, names: QueryNames): readonly string[] {
  return filterableFields(entity, names).flatMap(([name]) => [name, `${name}:asc`, `${name}:desc`]);
}

/** Lists the fields that some callers may read on every record. */
export function readableFields({ model, fieldRules }: Entity): readonly (readonly [string, Field])[] {
  return [...model.allFields].filter(([name, { options }]) => {
    const rule = fieldRules.read.get(name);
    return !options.hidden && (!rule || isOfCaller(rule.predicate));
  });
}

/** Lists those of them that can be compared, so that filters and orders may refer to them. */
export function comparableFields(entity: Entity): readonly (readonly [string, Field])[] {
  return readableFields(entity).filter(([, { type }]) => type !== 'json');
}

/** The fields that filters and orders may refer to, `project.name` among them. */
function filterableFields(entity: Entity, names: QueryNames): readonly (readonly [string, Field])[] {
  return fieldsWithin(entity, names).filter(([, { type }]) => type !== 'json');
}

/** The fields of JSON, in which filters may refer to single values. */
function jsonFields(entity: Entity, names: QueryNames): readonly (readonly [string, Field])[] {
  return fieldsWithin(entity, names).filter(([, { type }]) => type === 'json');
}

/** The readable fields of an entity, and those of records that its `belongsTo` relations lead to. */
function fieldsWithin(entity: Entity, { related }: QueryNames): readonly (readonly [string, Field])[] {
  const own = readableFields(entity);
  const others = related
    .filter(({ reference }) => own.some(([name]) => name === reference))
    .flatMap(({ relation, entity: other }) =>
      readableFields(other).map(([name, field]) => [`${relation}.${name}`, field] as const),
    );
  return [...own, ...others];
}

function filterParameters([path, field]: readonly [string, Field], { kindOf }: QueryNames): readonly Parameter[] {
  const kind = kindOf(field);
  const operators = operatorsOn(field).map(([operator, operand]): Parameter => {
    // One parameter for each value, which may have commas then.
    const brackets = operand === 'values' ? '[]' : '';
    return { name: `where[${path}][${operator}]${brackets}`, in: 'query', schema: operandInUrl(kind, field, operand) };
  });
  return [{ name: `where[${path}]`, in: 'query', schema: valueOf(kind, field) }, ...operators];
}

/** Builds the schemas of a query in its JSON form, and of the names that queries may use. */
export function querySchemas(entity: Entity, names: QueryNames): NamedSchemas {
  const { include, entitlements, kindOf } = names;
  const { name, visibleFields } = entity;
  const where = schemaRef(toSchemaName(name, 'Where'));
  const fields = filterableFields(entity, names);
  const json = jsonFields(entity, names);
  const conditions = fields.map(([path, field]) => [path, conditionOn(kindOf(field))] as const);
  // Names of fields and relations need no escape but for the point between them.
  const atPaths = json.map(([path, field]) => [`^${path.replace('.', '[.]')}[.]`, conditionOn(kindOf(field))] as const);
  return {
    ...Object.fromEntries(
      [...fields, ...json].flatMap(([, field]) => Object.entries(kindSchemas(kindOf(field), field))),
    ),
    [toSchemaName(name, 'Order')]: { type: 'string', enum: orderTerms(entity, names) },
    [toSchemaName(name, 'Field')]: { type: 'string', enum: visibleFields },
    [toSchemaName(name, 'Relation')]: { type: 'string', enum: include },
    [toSchemaName(name, 'Entitlement')]: { type: 'string', enum: entitlements },
    [toSchemaName(name, 'Where')]: {
      ...objectOf({ ...Object.fromEntries(conditions), AND: arrayOf(where), OR: arrayOf(where), NOT: where }, []),
      ...(json.length > 0 && { patternProperties: Object.fromEntries(atPaths) }),
      description: 'All conditions must hold. At most 50 conditions, 8 levels deep.',
    },
    [toSchemaName(name, 'Query')]: objectOf(
      {
        where,
        orderBy: textOrList(entity, 'Order', orderLength),
        limit: limitOf(entity),
        after: { type: 'string' },
        select: textOrList(entity, 'Field'),
        ...(include.length > 0 && { include: textOrList(entity, 'Relation', includeLength) }),
        ...(entitlements.length > 0 && { access: textOrList(entity, 'Entitlement') }),
        count: { type: 'boolean', default: false },
      },
      [],
    ),
  };
}

/** The names that queries on an entity list. */
type NamePart = 'Order' | 'Field' | 'Relation' | 'Entitlement';

/** An array of names, or one string with commas. */
function textOrList({ name }: Entity, part: NamePart, length: JsonSchema = {}): JsonSchema {
  return { anyOf: [{ ...arrayOf(schemaRef(toSchemaName(name, part))), ...length }, { type: 'string' }] };
}
