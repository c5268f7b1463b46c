import { expect, test } from 'vitest';

test('the entry exports exactly these values', async () => {
  expect(Object.keys(await import('./index.ts')).toSorted()).toEqual([
    'MigrationError',
    'RevocationListeners',
    'Turns',
    'assertReference',
    'assertSortable',
    'checkEntityRow',
    'checkEntityValues',
    'compareCodePoints',
    'compareSortKeys',
    'matches',
    'maxHierarchyDepth',
    'maxTransactionMs',
    'maxWaitMs',
    'parseCursor',
    'readSortKey',
    'sessionIdOfHash',
    'storeConflict',
    'storeUnavailable',
    'toCursor',
    'toPage',
    'toRefreshTokenHash',
    'withTimeLimit',
  ]);
});
