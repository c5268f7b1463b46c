import { queryTooExpensive } from '@x/store';
import pg from 'pg';
import { expect, it } from 'vitest';
import { toQueryError } from './errors.ts';

const canceled = Object.assign(new pg.DatabaseError('canceling statement', 1, 'error'), { code: '57014' });

it.each([
  ['the server', canceled],
  ['the bound of a large page', queryTooExpensive()],
])('blames the caller for a query that %s ended, unless a wait had cut its time short', (_, error) => {
  // The server's clock was a little faster.
  const all = { tookMs: 1749, statementMs: 1750, limitMs: 1750 };
  expect(toQueryError(error, all)).toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
  const busy = { code: 'SERVICE_UNAVAILABLE', extras: { reason: 'too_busy' } };
  expect(toQueryError(error, { ...all, tookMs: 40, statementMs: 40 })).toMatchObject(busy);
});

it('takes a query that was canceled earlier for one that an operator ended', () => {
  const error = toQueryError(canceled, { tookMs: 10, statementMs: 1750, limitMs: 1750 });
  expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: canceled });
});
