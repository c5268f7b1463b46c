import type { Entity, Field } from '@x/entity';
import { type OperandKind, whereOperators } from '@x/store/where';
import { createDistinctNames } from '../schema/distinct-names.ts';
import { arrayOf, type JsonSchema, type NamedSchemas, objectOf, schemaRef } from '../schema/json-schema.ts';
import { toPlainSchema, toSchemaName } from './record-schemas.ts';

/** Names the kind of values that a field has: `Uuid`, `Decimal6x2`, or `TasksState` for an enum. */
export type NameKind = (field: Field) => string;

/**
 * Names the kinds of values of all fields. Filters refer to them by these names, because generators of clients make up
 * a name for each schema that has none: the same one for the values of `project.state` and those of `projectState`.
 */
export function nameKinds(entities: readonly Entity[]): NameKind {
  const toDistinct = createDistinctNames();
  const enums = new Map<Field, string>();
  for (const { name, model } of entities) {
    for (const [member, field] of model.allFields) {
      if (field.type !== 'enum' || enums.has(field)) continue;
      enums.set(field, toDistinct(toSchemaName(name, capitalize(member))));
    }
  }
  return (field) => enums.get(field) ?? nameOfType(field);
}

function nameOfType({ type, decimal }: Field): string {
  return decimal ? `Decimal${decimal.precision}x${decimal.scale}` : capitalize(type);
}

/** Returns the schema of a value of a kind: a reference, unless it says no more than its type and format. */
export function valueOf(kind: string, field: Field): JsonSchema {
  const { type, format, ...others } = toOperandSchema(field);
  return Object.keys(others).length > 0 ? schemaRef(`${kind}Value`) : { type, ...(format !== undefined && { format }) };
}

/** Refers to a list of at least one value of a kind, as a URL has it. */
function valuesOf(kind: string): JsonSchema {
  return schemaRef(`${kind}Values`);
}

/** Refers to a condition on a field with values of a kind, in the JSON form. */
export function conditionOn(kind: string): JsonSchema {
  return schemaRef(`${kind}Condition`);
}

/** A text to search for. */
const searched: JsonSchema = { type: 'string', maxLength: 256 };

const maxListed: JsonSchema = { maxItems: 100 };

/** Builds the schemas of a kind: its values, lists of them, and conditions. */
export function kindSchemas(kind: string, field: Field): NamedSchemas {
  const value = valueOf(kind, field);
  const schemas: Readonly<Record<OperandKind, JsonSchema>> = {
    value,
    values: { ...arrayOf(value), ...maxListed },
    text: searched,
    caseless: searched,
    boolean: { type: 'boolean' },
  };
  const operands = operatorsOn(field).map(([name, operand]) => [name, schemas[operand]] as const);
  return {
    [`${kind}Value`]: toOperandSchema(field),
    [`${kind}Values`]: { ...arrayOf(value), minItems: 1, ...maxListed },
    [`${kind}Condition`]: { anyOf: [value, objectOf(Object.fromEntries(operands), [])] },
  };
}

/** Builds the schema of an operand in a URL. */
export function operandInUrl(kind: string, field: Field, operand: OperandKind): JsonSchema {
  if (operand === 'value') return valueOf(kind, field);
  if (operand === 'values') return valuesOf(kind);
  return operand === 'boolean' ? { type: 'boolean' } : searched;
}

/** Lists the operators that a field, or a value in its JSON, can be compared by, with their operands. */
export function operatorsOn({ type }: Field): readonly (readonly [name: string, operand: OperandKind])[] {
  return Object.entries(whereOperators).flatMap(([name, { operand }]: [string, { readonly operand: OperandKind }]) => {
    const isSearch = operand === 'text' || operand === 'caseless';
    return isSearch && type !== 'text' && type !== 'json' ? [] : [[name, operand] as const];
  });
}

/** Builds the schema of the values that a field compares with; of JSON, of what a path leads to. */
function toOperandSchema(field: Field): JsonSchema {
  return field.type === 'json' ? scalar : toPlainSchema(field);
}

const scalar: JsonSchema = {
  anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }],
  description: 'It compares with values of its own type.',
};

function capitalize(name: string): string {
  return `${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`;
}
