import type { GrantedRoles } from '@x/store';
import { expect, it } from 'vitest';
import { listAncestors } from './compose-roles.ts';

function held(id: string, ...parents: readonly GrantedRoles[]): GrantedRoles {
  return { resource: { type: 'folder', id }, roles: [], parents };
}

it('lists every ancestor of a resource once, the nearest first', () => {
  const top = held('top');
  const [left, right] = [held('left', held('between', top)), held('right', top)];
  expect(listAncestors(held('below', left, right)).map(({ id }) => id)).toEqual(['left', 'right', 'between', 'top']);
  expect(listAncestors(top)).toEqual([]);
});
