import { growthRow } from './growth.ts';
import { refreshRow, refreshSessionsOf } from './refresh.ts';
import type { Row } from './row.ts';
import { listSessionsOf, sessionListRow } from './session-list.ts';
import { sessionRow } from './session.ts';
import { signInRow } from './sign-in.ts';

/** Every row, in the order of the table. */
export const allRows: readonly Row[] = [
  sessionRow,
  sessionListRow,
  refreshRow('RS256'),
  refreshRow('ES256'),
  signInRow('RS256', 0.9),
  signInRow('ES256', 0.95),
  growthRow('refresh', refreshSessionsOf),
  growthRow('session-list', listSessionsOf),
];
