import { expect, it } from 'vitest';

import * as entry from './index.ts';

it('exports exactly these values', () => {
  expect(Object.keys(entry).toSorted()).toMatchInlineSnapshot(`
    [
      "DuplicateKeyError",
      "ForeignKeyError",
      "applyMigrations",
      "createSqlStores",
      "cutRows",
      "inSavepoint",
      "inspectTables",
      "reasonOf",
      "runInspect",
      "toImageOf",
      "toValues",
      "triggerPrefix",
      "withTransactionExecutor",
    ]
  `);
});
