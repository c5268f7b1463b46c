import type { Where } from '@x/store';
import { listHeld } from './role-assignments.ts';
import type { Tables } from './tables.ts';

/** Replaces each part of a condition that asks which resources are held by the ids of those. */
export function resolveHeld(tables: Pick<Tables, 'assignments' | 'edges'>, where: Where): Where {
  switch (where.type) {
    case 'and':
    case 'or':
      return { type: where.type, operands: where.operands.map((operand) => resolveHeld(tables, operand)) };
    case 'not':
      return { type: 'not', operand: resolveHeld(tables, where.operand) };
    case 'held':
      return { type: 'in', column: where.column, values: listHeld(tables, where.resources) };
    default:
      return where;
  }
}
