import type { EntityRow } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import type { Inclusion } from '../query/list-query.ts';
import { includeRelated } from './include-related.ts';
import { findRecordAccess, type RecordAccess } from '../authorization/record-access.ts';
import type { Scope } from './scope.ts';
import type { VisibleRow } from '../authorization/visible-rows.ts';

/** Rows of an entity, and what to load in addition to their fields. */
export interface BesideRequest {
  readonly entity: Entity;
  readonly rows: readonly EntityRow[];
  /** The same rows as the caller sees them. */
  readonly visible: readonly VisibleRow[];
  readonly include: readonly Inclusion[];
  /** The entitlements that the caller asked for. */
  readonly names: readonly string[];
}

/** The additional data of each row, in their order. */
export interface Beside {
  readonly related: readonly Readonly<Record<string, unknown>>[];
  /** Undefined if not requested. */
  readonly access: readonly RecordAccess[] | undefined;
}

/**
 * Loads the additional data of rows: related records, and what the caller may do with them. Synchronous if nothing is
 * requested, as in most cases.
 */
export function findBeside(scope: Scope, request: BesideRequest): Beside | Promise<Beside> {
  const { entity, include, names } = request;
  return include.length + entity.recordAccess.length + names.length === 0 ? nothing : load(scope, request);
}

const nothing: Beside = { related: [], access: undefined };

async function load(scope: Scope, { entity, rows, visible, include, names }: BesideRequest): Promise<Beside> {
  const [related, access] = await Promise.all([
    includeRelated(scope, { entity, rows: visible, include }),
    findRecordAccess(scope, { entity, rows, names }),
  ]);
  return { related, access };
}
