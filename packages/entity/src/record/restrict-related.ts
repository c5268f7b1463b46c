import type { SortKey } from '@x/store';
import { all, not, type Where } from '@x/store/where';
import { openRead } from '../authorization/open-authorization.ts';
import type { Call } from '../call/call.ts';

/**
 * Limits the parts of a caller's filter that are about related records to those that the caller may read by the rules
 * of their own entity. Of others nothing is known, so such a part and its negation both select nothing.
 */
export function restrictRelated(call: Call, where: Where): Promise<Where> {
  return restrictEach(call, where, new Map());
}

/**
 * Limits an order by fields of related records to those that the caller may read; of others, every field counts as
 * null.
 */
export async function restrictOrder(call: Call, order: readonly SortKey[]): Promise<readonly SortKey[]> {
  const readable = new Map<string, Promise<Where>>();
  return Promise.all(
    order.map(async (key): Promise<SortKey> => {
      const { through } = key;
      if (!through) return key;
      return { ...key, through: { ...through, readable: await readableOf(call, through.entity, readable) } };
    }),
  );
}

/** Says whether some part of a filter is about related records. */
export function isAboutRelated(where: Where): boolean {
  return hasPart(where, 'related');
}

/** Says whether a filter has a part of a type. */
export function hasPart(where: Where, type: Where['type']): boolean {
  if (where.type === type) return true;
  if (where.type === 'and' || where.type === 'or') return where.operands.some((operand) => hasPart(operand, type));
  return where.type === 'not' && hasPart(where.operand, type);
}

/** @param readable - what the caller may read of each entity, found out once */
async function restrictEach(call: Call, where: Where, readable: Map<string, Promise<Where>>): Promise<Where> {
  switch (where.type) {
    case 'related':
      return { ...where, readable: await readableOf(call, where.entity, readable) };
    case 'and':
    case 'or': {
      const operands = await Promise.all(where.operands.map((operand) => restrictEach(call, operand, readable)));
      return { type: where.type, operands };
    }
    case 'not':
      return not(await restrictEach(call, where.operand, readable));
    case 'constant':
    case 'compare':
    case 'in':
    case 'text':
    case 'caseless':
    case 'granted':
    case 'json':
    case 'isNull':
      return where;
  }
}

function readableOf(call: Call, name: string, known: Map<string, Promise<Where>>): Promise<Where> {
  const entity = call.context.entities.get(name);
  if (!entity) throw new TypeError(`There is no entity ${name}.`);
  const readable = known.get(name) ?? openRead(call, entity, 'get').restrict(all);
  known.set(name, readable);
  return readable;
}
