import { expect, test } from 'vitest';

import * as entry from './index.ts';

test('the entry exports exactly these values', () => {
  expect(Object.keys(entry).toSorted()).toMatchInlineSnapshot(`
    [
      "DuplicateKeyError",
      "ForeignKeyError",
      "applyNextMigration",
      "createSqlStores",
      "inSavepoint",
      "withTransactionScope",
    ]
  `);
});
