import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { countRoundTrips, toReadablePath } from '../../page/developer/round-trips.ts';
import { sources } from '../../page/developer/sources.ts';

it('counts requests that wait for others as further round trips, and parallel ones once', () => {
  const first = { begun: 0, milliseconds: 10 };
  const beside = { begun: 2, milliseconds: 30 };
  const after = { begun: 11, milliseconds: 5 };
  const last = { begun: 40, milliseconds: 5 };
  expect([[], [first, beside], [after, beside, first], [last, after, first]].map(countRoundTrips)).toEqual([
    0, 1, 2, 3,
  ]);
});

it('shortens ids in paths, and shows their parameters as they are meant', () => {
  const path = '/api/projects/3f2a9c10-0000-4000-8000-000000000000/members?search=a%40b';
  expect(toReadablePath(path)).toBe('/api/projects/3f2a…/members?search=a@b');
  expect(toReadablePath('/outbox/%E0%A4%A')).toBe('/outbox/%E0%A4%A');
});

it('names files that exist as the source of each screen', () => {
  const files = Object.values(sources).flatMap(({ screen, data }) => [screen, ...data]);
  const missing = files.filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url)));
  expect([files.length > 15, missing]).toEqual([true, []]);
});
