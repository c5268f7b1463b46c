import { expect, it } from 'vitest';
import * as server from './index.ts';
import * as node from './node.ts';

it('exports what is documented and nothing else', () => {
  expect(Object.keys(server)).toEqual(['createServer', 'createDatabaseClock']);
  expect(Object.keys(node)).toEqual(['listen']);
});
