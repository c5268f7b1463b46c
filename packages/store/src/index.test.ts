import { expect, it } from 'vitest';

it('exports from the main entry exactly what apps and store authors use', async () => {
  expect(Object.keys(await import('./index.ts')).toSorted()).toEqual([
    'MigrationError',
    'RequiredRoles',
    'compareCodePoints',
    'composeStores',
    'deleteInBatches',
    'findIndexConditionProblem',
    'isDate',
    'isKnownToken',
    'isStorableText',
    'maxGroupDepth',
    'maxHierarchyDepth',
    'parseIndexPart',
    'queryTooExpensive',
    'storeConflict',
    'storeUnavailable',
    'systemClock',
    'toDecimal',
    'toRefreshTokenHash',
    'toUserId',
  ]);
});

it('exports from the engine entry exactly what the stores of this repository share', async () => {
  expect(Object.keys(await import('./engine.ts')).toSorted()).toEqual([
    'Mutex',
    'RevocationListeners',
    'assertAggregable',
    'assertAmount',
    'assertMoment',
    'assertReference',
    'assertSortable',
    'assertStorableText',
    'checkDebits',
    'checkEntityRow',
    'checkEntityValues',
    'checkEntries',
    'checkOverrides',
    'checkUniqueKey',
    'compareDecimals',
    'compareSortKeys',
    'defaultPatience',
    'fromUnits',
    'isByRelated',
    'maxConsumed',
    'maxTransactionMs',
    'parseCursor',
    'readSortCells',
    'readSortKey',
    'sessionIdOfHash',
    'sortGroups',
    'tableMissing',
    'toAverage',
    'toPage',
    'toReceipt',
    'toSum',
    'toUnits',
    'uniqueKeys',
    'unstorableText',
    'withTimeLimit',
  ]);
});

it('exports from the entry of conditions exactly their constructors, operators and meaning', async () => {
  expect(Object.keys(await import('./where.ts')).toSorted()).toEqual([
    'all',
    'and',
    'caseVariants',
    'contains',
    'endsWith',
    'eq',
    'foldCase',
    'granted',
    'gt',
    'gte',
    'icontains',
    'isIn',
    'isNull',
    'istartsWith',
    'lt',
    'lte',
    'matches',
    'ne',
    'none',
    'not',
    'or',
    'related',
    'startsWith',
    'whereOperators',
  ]);
});

it('exports from the entry of suites exactly what tests of stores use', async () => {
  expect(Object.keys(await import('./suites.ts')).toSorted()).toEqual([
    'describeEntityEvolution',
    'describeStores',
    'patient',
    'sampleEntities',
  ]);
});

it('exports from the testing entry exactly what tests of apps use', async () => {
  expect(Object.keys(await import('./testing.ts'))).toEqual(['ManualClock']);
});
