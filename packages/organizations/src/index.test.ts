import { expect, it } from 'vitest';
import * as organizations from './index.ts';
import * as react from './react.ts';

it('exports the names that apps need, and no others', () => {
  expect(Object.keys(organizations).toSorted()).toEqual(['createOrganizations', 'emailAddress']);
  expect(Object.keys(react)).toEqual(['createOrganizationHooks']);
});
