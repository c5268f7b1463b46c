import type { NoticedChange } from '@x/auth';
import { expect, it } from 'vitest';
import { composeMessage, type Mail, type TokenMail } from '../../src/mail/message.ts';

const to = 'ada@example.com';
const baseUrl = 'https://tracker.example';

it.each<[kind: TokenMail['kind'], url: string]>([
  ['verification', 'https://tracker.example/verify?token=Zm9v-_'],
  ['reset', 'https://tracker.example/reset?token=Zm9v-_'],
  ['invitation', 'https://tracker.example/join?token=Zm9v-_'],
])('links a %s to its page, as text and as HTML', (kind, url) => {
  const message = composeMessage({ kind, to, token: 'Zm9v-_' }, baseUrl);
  expect(message.text.match(/https?:\S+/g)).toEqual([url]);
  expect(message.html.match(/https?:[^"]+/g)).toEqual([url.replace('&', '&amp;')]);
  expect(message.html).toMatch(/<a href="[^"]+">[^<]+<\/a>/);
});

const changes = [
  'password.changed',
  'password.reset',
  'email_change.requested',
  'email.changed',
  'mfa.enabled',
  'mfa.disabled',
  'mfa.backup_codes_replaced',
  'mfa.locked',
  'oauth_account.linked',
  'oauth_account.unlinked',
  'account.reclaimed',
] as const satisfies readonly NoticedChange[];

it.each(changes)('reports %s without a link or a token', (change) => {
  const message = composeMessage({ kind: 'notice', to, change }, baseUrl);
  expect(message.text).not.toMatch(/http|token/);
  expect(message.html).not.toContain('<a');
});

it('has different words for every mail', () => {
  const mails: readonly Mail[] = [
    ...(['verification', 'reset', 'invitation'] as const).map((kind) => ({ kind, to, token: 'x' })),
    ...changes.map((change) => ({ kind: 'notice', to, change }) as const),
  ];
  const messages = mails.map((mail) => composeMessage(mail, baseUrl));
  expect(new Set(messages.map(({ subject }) => subject)).size).toBe(mails.length);
  expect(new Set(messages.map(({ text }) => text)).size).toBe(mails.length);
});

it('names the linked accounts in a reset, if there are any, and nothing of theirs as HTML', () => {
  const mail = { kind: 'reset', to, token: 'x' } as const;
  const { text, html } = composeMessage({ ...mail, identities: ['github (a&b@example.com)', 'google'] }, baseUrl);
  expect(text).toContain('sign in, too: github (a&b@example.com), google.');
  expect(html).toContain('github (a&#38;b@example.com), google.');
  expect(composeMessage({ ...mail, identities: [] }, baseUrl)).toEqual(composeMessage(mail, baseUrl));
});

it('keeps any token inside the link', () => {
  const token = `"><script>x</script>&a=b\r\n' c#d`;
  const message = composeMessage({ kind: 'reset', to, token }, baseUrl);
  expect(message.html).not.toMatch(/<script|"">|' c/);
  const [url = ''] = message.text.match(/https?:\S+/) ?? [];
  expect(new URL(url).searchParams.get('token')).toBe(token);
  expect([...new URL(url).searchParams.keys()]).toEqual(['token']);
});
