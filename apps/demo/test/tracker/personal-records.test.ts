import { createPostgresDatabase } from '@x/test-support/database';
import { beforeAll, expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { useDemoHere } from '../support/demo-in-process.ts';
import { count } from '../support/postgres-database.ts';
import { type Person, signUpPeople, wordOf } from '../support/person.ts';

const database = await createPostgresDatabase();
const url = useDemoHere({ DATABASE_URL: database.url, RATE_LIMIT_FACTOR: '100' });
beforeAll(() => () => database.drop());

const entities = ['notes', 'vault', 'documents'] as const;

/** Counts in the database the records of a user in each entity. */
function ownedBy({ id }: Person): Promise<readonly number[]> {
  return Promise.all(
    entities.map((entity) => count(database.url, `SELECT COUNT(*) FROM app_${entity} WHERE owner_id = $1`, [id])),
  );
}

async function make(person: Person): Promise<void> {
  await person.must('POST', '/api/notes', { title: 'Own', body: '' });
  await person.must('POST', '/api/documents', { title: 'Own', body: '' });
  await person.must('POST', '/api/documents', { title: 'Shared', body: '', shared: true });
}

it('deletes with an account the records that no other user could see, and keeps those it shared', async () => {
  const { ada, bob } = await signUpPeople(url(), ['ada', 'bob']);
  await ada.must('POST', `/api/organizations/${ada.workspaceId}/set-role`, { userId: bob.id, role: 'member' });
  await bob.must('POST', '/api/auth/switch-tenant', { tenantId: ada.workspaceId });
  for (const person of [ada, bob]) await make(person);
  await bob.stepUp();
  await bob.must('POST', '/api/vault', { label: 'Own', secret: 'x' });
  expect(await ownedBy(bob)).toEqual([1, 1, 2]);
  expect(wordOf(await bob.ask('DELETE', '/api/auth/account', { password: newAccount().password }))).toBe('200');
  expect(await ownedBy(bob)).toEqual([0, 0, 1]);
  expect(await ownedBy(ada)).toEqual([1, 0, 2]);
  expect((await ada.must('GET', '/api/documents'))['items']).toHaveLength(3);
});
