import type { Resource, UserId } from '@x/store';
import { PairTable } from './pair-table.ts';

/** All roles that a user holds directly on one resource; at least one. */
export interface Holding {
  readonly userId: UserId;
  readonly resource: Resource;
  readonly resourceKey: string;
  readonly roles: readonly string[];
}

/** Holdings, by user (first key) and resource (second key). */
export type AssignmentTable = PairTable<Holding>;

/** Creates an empty table of holdings. */
export function createAssignmentTable(): AssignmentTable {
  return new PairTable<Holding>();
}
