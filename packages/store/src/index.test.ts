import { expect, test } from 'vitest';

test('the entry exports exactly these values', async () => {
  expect(Object.keys(await import('./index.ts')).toSorted()).toEqual([
    'MigrationError',
    'RevocationListeners',
    'Turns',
    'compareText',
    'matches',
    'maxTransactionMs',
    'maxWaitMs',
    'parseCursor',
    'sessionIdOfHash',
    'storeUnavailable',
    'toCursor',
    'toPage',
    'toRefreshTokenHash',
    'withTimeLimit',
  ]);
});
