import type { EntityColumn, EntityTable, EntityValue } from '@x/store';
import type { SqlDialect } from '../sql-dialect.ts';
import type { ColumnState, IndexState, ReferenceState, TableState } from './table-state.ts';

/** One change of a table. A `contract` step waits until it is allowed. */
export type EvolutionStep = { readonly kind: 'expand' | 'contract' } & (
  | { readonly type: 'createTable' }
  | { readonly type: 'renameTable'; readonly from: string }
  | { readonly type: 'renameColumn'; readonly from: string; readonly to: ColumnState }
  | { readonly type: 'addColumn'; readonly column: EntityColumn; readonly to: ColumnState }
  | RowStep
  | ReplaceStep
  | { readonly type: 'endCopy'; readonly to: ColumnState }
  | { readonly type: 'dropIndex' | 'createIndex'; readonly index: IndexState }
  | { readonly type: 'dropColumn'; readonly from: ColumnState }
);

/** A change of those rows of a table that the declaration does not allow; without such rows, there is none. */
export type RowStep = { readonly kind: 'expand' | 'contract'; readonly to: ColumnState } & (
  | {
      readonly type: 'fillColumn';
      readonly value: Exclude<EntityValue, null> | null;
      /** The column whose values are taken, where they are not null. */
      readonly source: ColumnState | null;
    }
  | { readonly type: 'replaceValues'; readonly replaced: Readonly<Record<string, string>> }
);

/** A new column that gets the values of another one, in batches. Unless it copies them, it takes the place of that. */
export interface ReplaceStep {
  readonly type: 'replaceColumn';
  readonly kind: 'expand' | 'contract';
  readonly from: ColumnState;
  readonly to: ColumnState;
  /** How the two are connected while both are written. */
  readonly link: NonNullable<ColumnState['replaces']>;
  /** Whether the new column is already in the table. */
  readonly isAdded: boolean;
  readonly column: EntityColumn;
}

/** The steps that bring a table to its declaration, or why that is impossible. */
export interface EvolutionPlan {
  readonly steps: readonly EvolutionStep[];
  /** One sentence each. If there are any, the steps must not be taken. */
  readonly problems: readonly string[];
  /** The table after the steps, with those columns that are no longer declared. */
  readonly target: TableState;
}

/** A declared entity, and its table. */
export interface EvolutionInput {
  /** Null if there is no table yet. */
  readonly state: TableState | null;
  /** The columns that versions of another declaration write. */
  readonly others: ReadonlySet<string>;
  readonly declared: EntityTable;
  /** The name of the table. */
  readonly table: string;
  /** Returns how columns refer to an entity. */
  readonly referenceTo: (entity: string) => Omit<ReferenceState, 'onDelete'>;
  /** Returns the name of the entity that a table has in the database. */
  readonly entityOf: (table: string) => string | undefined;
  readonly dialect: SqlDialect;
}

/** How one column follows its declaration. */
export interface ColumnPlan {
  readonly steps: readonly EvolutionStep[];
  readonly problem: string | null;
  readonly to: ColumnState;
}
