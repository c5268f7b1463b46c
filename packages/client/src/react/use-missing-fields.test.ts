import { expect, it } from 'vitest';
import { recordingClient } from '../testing/recording-client.ts';
import { missingFields } from './use-missing-fields.ts';

const expiresAt = new Date(Date.now() + 600_000).toISOString();
const incomplete = { id: 'ada', incomplete: ['company', 'born'] };

it('are those that the session names, until the user has given them', async () => {
  const { client, asked } = recordingClient([
    { user: incomplete, expiresAt },
    { user: { id: 'ada', company: 'Engines', incomplete: ['born'] } },
    { user: { id: 'ada', company: 'Engines', incomplete: ['born'] }, expiresAt },
    { user: { id: 'ada', company: 'Engines', born: '1815' } },
    { user: { id: 'ada', company: 'Engines', born: '1815' }, expiresAt },
  ]);
  const missing = () => missingFields(client, client.session.getSnapshot());
  expect(missing()).toBeNull();
  await client.auth.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
  expect(missing()?.names).toEqual(['company', 'born']);
  expect(await missing()?.submit({ company: 'Engines' } as object)).toMatchObject({ ok: true });
  expect(missing()?.names).toEqual(['born']);
  await missing()?.submit({ born: '1815' } as object);
  expect(missing()).toBeNull();
  expect(asked[1]).toEqual(['PATCH /api/auth/user', { company: 'Engines' }]);
  client.close();
});

it('stay missing where the server refuses their values, and the result says why', async () => {
  const { client } = recordingClient([
    { user: incomplete, expiresAt },
    { error: { code: 'VALIDATION_FAILED', message: 'No.', issues: [] } },
  ]);
  await client.auth.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
  const { submit } = missingFields(client, client.session.getSnapshot())!;
  expect(await submit({ company: '' } as object)).toMatchObject({ error: { code: 'VALIDATION_FAILED' } });
  expect(missingFields(client, client.session.getSnapshot())?.names).toEqual(incomplete.incomplete);
  client.close();
});
