import type { EntityRow } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import type { Inclusion } from '../query/list-query.ts';
import { includeRelated } from './include-related.ts';
import { findRecordAccess, type RecordAccess } from './record-access.ts';
import type { Scope } from './scope.ts';
import type { VisibleRow } from './visible-rows.ts';

/** Rows of an entity, and what is wanted beside their fields. */
export interface BesideRequest {
  readonly entity: Entity;
  readonly rows: readonly EntityRow[];
  /** The same as the caller sees them. */
  readonly visible: readonly VisibleRow[];
  readonly include: readonly Inclusion[];
  /** Entitlements that the caller named. */
  readonly names: readonly string[];
}

/** What goes with each of the rows, in their order. */
export interface Beside {
  readonly related: readonly Readonly<Record<string, unknown>>[];
  /** Undefined where nobody wants it. */
  readonly access: readonly RecordAccess[] | undefined;
}

/** Finds what goes with rows: related records, and what the caller may do. Mostly that is nothing, which is there at once. */
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
