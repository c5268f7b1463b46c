import { expect, it } from 'vitest';
import * as client from './index.ts';
import * as react from './react.ts';

it('exports what is documented and nothing else', () => {
  expect(Object.keys(client).sort()).toEqual(['createClient', 'pages']);
  expect(Object.keys(react).sort()).toEqual(['useAccess', 'useConfirmation', 'useList', 'useSession']);
});

it('needs to be told where the server is, where no page says it', () => {
  expect(() => client.createClient()).toThrow(TypeError);
});
