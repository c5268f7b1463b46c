import { expect, it } from 'vitest';
import * as cache from './cache.ts';
import * as cookies from './cookies.ts';
import * as imports from './import.ts';
import * as client from './index.ts';
import * as live from './live.ts';
import * as list from './list.ts';
import * as reactList from './react/list.ts';
import * as react from './react.ts';

it('exports exactly the documented names', () => {
  expect(Object.keys(client).sort()).toEqual(['createClient', 'pages']);
  const hooks = ['useAccess', 'useConfirmation', 'useMissingFields', 'useQuery', 'useSession'];
  expect(Object.keys(react).sort()).toEqual(hooks);
  expect(Object.keys(list).sort()).toEqual(['optimistic', 'watchList']);
  expect(Object.keys(reactList)).toEqual(['useList']);
  expect(Object.keys(cache)).toEqual(['createQueryCache']);
  expect(Object.keys(cookies)).toEqual(['createCookieFetch']);
  expect(Object.keys(imports)).toEqual(['importRecords']);
  expect(Object.keys(live)).toEqual(['followLive']);
});

it('refuses options that do not exist, and names those that do', () => {
  const misspelt = { baseURL: 'https://app.example' };
  expect(() => client.createClient(misspelt as object)).toThrow(
    new TypeError('baseURL: unknown option; known: baseUrl, fetch, bearer, authPath.'),
  );
});

it('requires the address of the server for a request where there is no page, and not before', async () => {
  const rendered = client.createClient();
  await expect(rendered.request('/api/tasks')).rejects.toThrow(new TypeError('Set baseUrl.'));
  rendered.close();
});
