import type { Row } from './row.ts';
import { sessionRow } from './session.ts';

/** Every row, in the order of the table. */
export const allRows: readonly Row[] = [sessionRow];
