import { didYouMean, isObject } from '@x/errors';
import { all, and, isNull, not, or, type Where, type WhereOperands, whereOperators } from '@x/store/where';
import { coerceValue } from './coerce-value.ts';
import type { Field, ValueIn } from './field.ts';
import type { Fields } from './model.ts';

/** An index of those records alone that satisfy a condition. */
export interface ConditionalIndex<F extends Fields = Fields> {
  /** `createdAt:desc` for what is sorted down. */
  readonly fields: readonly string[];
  readonly where: IndexCondition<F>;
}

/**
 * Which records an index contains: `{ state: 'open', archivedAt: null }`, in which null stands for no value, and
 * comparisons as in filters, `{ level: { gt: 2 } }`, but for those that search in a text.
 */
type IndexCondition<F extends Fields = Fields> = {
  readonly [Name in keyof F & string]?: FieldCondition<ValueIn<F[Name]>>;
} & {
  readonly [Name in 'createdAt' | 'updatedAt']?: FieldCondition<Date>;
} & {
  readonly AND?: readonly IndexCondition<F>[];
  readonly OR?: readonly IndexCondition<F>[];
  readonly NOT?: IndexCondition<F>;
};

type FieldCondition<Value> = Operand<Value> | null | WhereOperands<Operand<Value>, 'value' | 'values' | 'boolean'>;

type Operand<Value> = Value | (Value extends Date ? string : never);

/** A condition, and why an index can't have it. */
interface ParsedCondition {
  readonly where: Where;
  readonly problems: readonly string[];
}

/** Parses the condition of an index. */
export function parseIndexCondition(fields: ReadonlyMap<string, Field>, condition: unknown): ParsedCondition {
  const problems: string[] = [];
  const where = toWhere({ fields, problems }, condition);
  if (problems.length === 0 && where.type === 'constant') problems.push('the condition is about no field');
  return { where, problems };
}

interface Context {
  readonly fields: ReadonlyMap<string, Field>;
  readonly problems: string[];
}

function toWhere(context: Context, condition: unknown): Where {
  if (!isObject(condition)) return refuse(context, 'a condition is an object');
  return and(...Object.entries(condition).map(([name, value]) => toMember(context, name, value)));
}

function toMember(context: Context, name: string, value: unknown): Where {
  if (name === 'NOT') return not(toWhere(context, value));
  if (name === 'AND' || name === 'OR') {
    if (!Array.isArray(value)) return refuse(context, `${name} takes a list of conditions`);
    const operands = value.map((each: unknown) => toWhere(context, each));
    return name === 'AND' ? and(...operands) : or(...operands);
  }
  const field = context.fields.get(name);
  if (!field) return refuse(context, `${name} is not a field${didYouMean(name, context.fields.keys())}`);
  if (field.type === 'json') return refuse(context, `${name} is JSON, which can't be compared`);
  if (value === null) return isNull(name);
  const comparisons = isObject(value) && !(value instanceof Date) ? Object.entries(value) : [['eq', value] as const];
  return and(...comparisons.map((comparison) => toComparison(context, { name, field }, comparison)));
}

function toComparison(
  context: Context,
  { name, field }: { readonly name: string; readonly field: Field },
  [called, operand]: readonly [string, unknown],
): Where {
  const operator = Object.hasOwn(whereOperators, called)
    ? whereOperators[called as keyof typeof whereOperators]
    : undefined;
  const unfit = (): Where => refuse(context, `${name} is compared with something that is no value of it`);
  switch (operator?.operand) {
    case 'value': {
      const value = coerceValue(field, operand);
      return value === undefined ? unfit() : operator.toWhere(name, value);
    }
    case 'values': {
      const values = Array.isArray(operand) ? operand.map((each: unknown) => coerceValue(field, each)) : [undefined];
      const known = values.filter((value) => value !== undefined);
      return known.length < values.length ? unfit() : operator.toWhere(name, known);
    }
    case 'boolean':
      return typeof operand === 'boolean' ? operator.toWhere(name, operand) : unfit();
    default:
      return refuse(context, `${name}: an index can't have a condition with ${called}`);
  }
}

function refuse({ problems }: Context, problem: string): Where {
  problems.push(problem);
  return all;
}
