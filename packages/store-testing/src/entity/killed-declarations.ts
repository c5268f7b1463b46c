import type { EntityColumn, EntityTable } from '@x/store';

const rank: EntityColumn = { name: 'rank', type: 'integer', nullable: true };
const weight: EntityColumn = { name: 'weight', type: 'integer', nullable: true };

const length: EntityColumn = { name: 'length', type: 'integer', nullable: true };

/** The declaration before {@link convertedEntities}. */
export const originalEntities: readonly EntityTable[] = [
  { name: 'notes', columns: [rank, weight, length], indexes: [] },
];

/** A declaration on the way to which processes are killed: it converts, widens, copies, fills and indexes. */
export const convertedEntities: readonly EntityTable[] = [
  {
    name: 'notes',
    columns: [
      { ...weight, type: 'number' },
      {
        ...rank,
        name: 'label',
        type: 'text',
        nullable: false,
        renamedFrom: 'rank',
        backfill: 'none',
        convert: toLabel,
      },
      { name: 'size', type: 'number', nullable: false, default: -1, backfillFrom: 'length' },
      { name: 'state', type: 'text', nullable: false, backfill: 'old' },
    ],
    indexes: [['label'], ['weight', 'label']],
  },
];

/** Returns what becomes of a rank. */
export function toLabel(rank: unknown): string {
  return `rank ${Number(rank)}`;
}
