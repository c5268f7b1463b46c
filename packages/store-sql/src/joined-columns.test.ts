import { expect, test } from 'vitest';

import { joinColumns } from './joined-columns.ts';

test('columns that two tables have are told apart in a join', () => {
  const [session, user] = [joinColumns('s', 'id, ver'), joinColumns('u', 'id, role')];
  expect(session.text).toBe('s.id AS s_id, s.ver AS s_ver');
  expect(user.text).toBe('u.id AS u_id, u.role AS u_role');
  const row = { s_id: 'session-1', s_ver: 3, u_id: 'user-1', u_role: null };
  expect(session.pick(row)).toEqual({ id: 'session-1', ver: 3 });
  expect(user.pick(row)).toEqual({ id: 'user-1', role: null });
});
