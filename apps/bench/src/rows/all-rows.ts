import { accessSetRow } from './access-set.ts';
import { canInDatabaseRow } from './can-in-database.ts';
import { canInMemoryRow } from './can-in-memory.ts';
import { coldStartRow } from './cold-start.ts';
import { consumeRow } from './consume.ts';
import { growthRow } from './growth.ts';
import { lookupRow } from './lookup.ts';
import { notesRow } from './notes.ts';
import { pooledRow } from './pooled.ts';
import { refreshRow, refreshWithAccessRow } from './refresh.ts';
import { recordAccessRow } from './record-access.ts';
import type { Row } from './row.ts';
import { sessionListRow } from './session-list.ts';
import { sessionRow } from './session.ts';
import { signInRow } from './sign-in.ts';

/** Every row, in the order of the table. */
export const allRows: readonly Row[] = [
  coldStartRow,
  sessionRow,
  sessionListRow,
  refreshRow('RS256', 'sqlite'),
  refreshRow('ES256', 'sqlite'),
  refreshWithAccessRow('sqlite'),
  signInRow('RS256', 0.9),
  signInRow('ES256', 0.95, { isAlsoByHand: true }),
  notesRow('sqlite'),
  recordAccessRow('sqlite'),
  growthRow('sqlite'),
  canInMemoryRow,
  canInDatabaseRow('sqlite'),
  lookupRow('sqlite'),
  accessSetRow,
  refreshRow('RS256', 'postgres'),
  refreshRow('ES256', 'postgres'),
  refreshWithAccessRow('postgres'),
  notesRow('postgres'),
  recordAccessRow('postgres'),
  growthRow('postgres'),
  canInDatabaseRow('postgres'),
  lookupRow('postgres'),
  consumeRow,
  pooledRow,
];
