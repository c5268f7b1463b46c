import type { GrantedRoles } from '@x/store';
import { expect, it } from 'vitest';
import { listAncestors } from './role-reads.ts';

function granted(id: string, ...parents: readonly GrantedRoles[]): GrantedRoles {
  return { resource: { type: 'folder', id }, roles: [], rolesByGroup: [], parents };
}

it('lists every ancestor of a resource once, the nearest first', () => {
  const top = granted('top');
  const [left, right] = [granted('left', granted('between', top)), granted('right', top)];
  expect(listAncestors(granted('below', right, left)).map(({ id }) => id)).toEqual(['left', 'right', 'between', 'top']);
  expect(listAncestors(top)).toEqual([]);
});
