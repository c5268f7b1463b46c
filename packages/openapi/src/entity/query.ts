import type { Entity, Field } from '@x/entity';
import { type OperandKind, whereOperators } from '@x/store/where';
import type { Parameter } from '../document/document.ts';
import { arrayOf, type JsonSchema, type NamedSchemas, objectOf, schemaRef } from '../schema/json-schema.ts';
import { type ReferredTo, toPlainSchema, toSchemaName } from './record-schemas.ts';
import { isOfCaller } from './rule-errors.ts';

/** The names that a query on an entity may use besides fields. */
export interface QueryNames {
  /** Paths of relations. */
  readonly include: readonly string[];
  readonly entitlements: readonly string[];
  readonly related: readonly ReferredTo[];
}

const orderLength: JsonSchema = { minItems: 1, maxItems: 8 };
const includeLength: JsonSchema = { maxItems: 10 };
/** In a URL, an empty list is one empty name or value. */
const atLeastOne: JsonSchema = { minItems: 1 };

/** Lists the parameters of a list, each under its exact name in the URL. */
export function listParameters(entity: Entity, names: QueryNames): readonly Parameter[] {
  const filters = filterableFields(entity, names).flatMap(([name, field]) => filterParameters(name, field));
  return [
    ...filters,
    listParameter('orderBy', 'The fields to sort by, each ascending unless it ends in `:desc`. Default: by id.', {
      ...arrayOf({ type: 'string', enum: orderTerms(entity, names) }),
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
  const [select] = getParameters(entity, names);
  return [
    ...filterableFields(entity, names).flatMap(([name, field]) => filterParameters(name, field)),
    ...(select ? [select] : []),
    {
      name: 'after',
      in: 'query',
      description: 'The id of the last record that was received.',
      schema: { type: 'string', format: 'uuid' },
    },
  ];
}

/** Lists the parameters of a get, which lists have, too. */
export function getParameters({ visibleFields }: Entity, { include, entitlements }: QueryNames): readonly Parameter[] {
  const listOf = (values: readonly string[]): JsonSchema => ({
    ...arrayOf({ type: 'string', enum: values }),
    ...atLeastOne,
  });
  return [
    listParameter('select', 'The fields to return. Default: all.', listOf(visibleFields)),
    ...(include.length === 0
      ? []
      : [
          listParameter('include', 'The relations to include in each record.', {
            ...listOf(include),
            ...includeLength,
          }),
        ]),
    ...(entitlements.length === 0
      ? []
      : [
          listParameter(
            'access',
            'The entitlements to check on each record; `__access` has the results.',
            listOf(entitlements),
          ),
        ]),
  ];
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

/** Lists the fields that queries may refer to. A field that may be hidden from a caller on some record is left out. */
export function comparableFields({ model, fieldRules }: Entity): readonly (readonly [string, Field])[] {
  return [...model.allFields].filter(([name, { type, options }]) => {
    const rule = fieldRules.read.get(name);
    return !options.hidden && type !== 'json' && (!rule || isOfCaller(rule.predicate));
  });
}

/** The fields that filters may refer to, `project.name` among them. */
function filterableFields(entity: Entity, { related }: QueryNames): readonly (readonly [string, Field])[] {
  const own = comparableFields(entity);
  const others = related
    .filter(({ reference }) => own.some(([name]) => name === reference))
    .flatMap(({ relation, entity: other }) =>
      comparableFields(other).map(([name, field]) => [`${relation}.${name}`, field] as const),
    );
  return [...own, ...others];
}

/** The operands of each operator on a field, in the JSON form. */
function operandsOf(field: Field): NamedSchemas {
  const value = toPlainSchema(field);
  const searched: JsonSchema | null = field.type === 'text' ? { type: 'string', maxLength: 256 } : null;
  const schemas: Readonly<Record<OperandKind, JsonSchema | null>> = {
    value,
    values: { ...arrayOf(value), maxItems: 100 },
    text: searched,
    caseless: searched,
    boolean: { type: 'boolean' },
  };
  return Object.fromEntries(
    Object.entries(whereOperators).flatMap(([name, { operand }]: [string, { readonly operand: OperandKind }]) => {
      const schema = schemas[operand];
      return schema ? [[name, schema]] : [];
    }),
  );
}

function filterParameters(name: string, field: Field): readonly Parameter[] {
  const operators = Object.entries(operandsOf(field)).map(([operator, schema]): Parameter => {
    const isList = schema['type'] === 'array';
    return {
      name: `where[${name}][${operator}]`,
      in: 'query',
      ...(isList && { style: 'form', explode: false }),
      schema: isList ? { ...schema, ...atLeastOne } : schema,
    };
  });
  return [{ name: `where[${name}]`, in: 'query', schema: toPlainSchema(field) }, ...operators];
}

/** Builds the schemas of a query in its JSON form. */
export function querySchemas(entity: Entity, names: QueryNames): NamedSchemas {
  const { include, entitlements } = names;
  const { name, visibleFields } = entity;
  const where = schemaRef(toSchemaName(name, 'Where'));
  const fields = filterableFields(entity, names).map(([field, declared]) => {
    const operands = objectOf(operandsOf(declared), []);
    return [field, { anyOf: [toPlainSchema(declared), operands] }] as const;
  });
  return {
    [toSchemaName(name, 'Where')]: {
      ...objectOf({ ...Object.fromEntries(fields), AND: arrayOf(where), OR: arrayOf(where), NOT: where }, []),
      description: 'All conditions must hold. At most 50 conditions, 8 levels deep.',
    },
    [toSchemaName(name, 'Query')]: objectOf(
      {
        where,
        orderBy: textOrList(orderTerms(entity, names), orderLength),
        limit: limitOf(entity),
        after: { type: 'string' },
        select: textOrList(visibleFields),
        ...(include.length > 0 && { include: textOrList(include, includeLength) }),
        ...(entitlements.length > 0 && { access: textOrList(entitlements) }),
        count: { type: 'boolean', default: false },
      },
      [],
    ),
  };
}

/** An array of names, or one string with commas. */
function textOrList(values: readonly string[], length: JsonSchema = {}): JsonSchema {
  return { anyOf: [{ ...arrayOf({ type: 'string', enum: values }), ...length }, { type: 'string' }] };
}
