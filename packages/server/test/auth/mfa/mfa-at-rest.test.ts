import { mkdtempSync, readFileSync } from 'node:fs';
import { createSqliteStores } from '@x/store-sqlite';
import { ManualClock } from '@x/store/testing';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordingLogger } from '../../support/recording-logger.ts';
import { submitCode, createMfaServer, enrol } from '../../support/second-factor.ts';
import { fromBase32 } from '../../support/totp-code.ts';

it('stores and logs no secret, code or challenge in clear text', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'x-server-test-')), 'test.db');
  const clock = new ManualClock();
  const { logger, lines } = recordingLogger();
  const test = await createMfaServer({
    database: { clock, open: () => createSqliteStores({ path, clock }) },
    logger,
  });
  const { backupCodes, browser, challenged, nextCode, secret, wrongCode } = await enrol(test);
  const waiting = await challenged();
  const challenge = waiting.cookies.get('app.mfa')!;
  const codes = [wrongCode(), nextCode()];
  for (const code of codes) await submitCode(waiting, code);
  await submitCode(await challenged(), backupCodes[0]);
  await browser.post('/api/auth/mfa/disable', { password: 'wrong horse battery' });
  const other = await enrol(test, { email: 'eve@example.com', password: 'correct horse battery' });
  const pending = test.client();
  await pending.post('/api/auth/signup', { email: 'bob@example.com', password: 'correct horse battery' });
  const setup = (await pending.post('/api/auth/mfa/setup')).body.secret;

  const dump = [path, `${path}-wal`].map((file) => readFileSync(file, 'latin1')).join('');
  const log = JSON.stringify(lines);
  expect(dump).toContain('eve@example.com');
  expect(log).toContain('mfa.challenged');
  const spellings = (text: string): string[] => {
    const bytes = fromBase32(text);
    return [text, text.toLowerCase(), bytes.toString('latin1'), bytes.toString('hex'), bytes.toString('base64url')];
  };
  const clear = [secret, other.secret, setup].flatMap(spellings);
  const spelled = [...backupCodes, ...other.backupCodes].flatMap((code) => [code, code.replaceAll('-', '')]);
  for (const text of [...clear, ...spelled, challenge]) {
    expect(dump.includes(text), text).toBe(false);
    expect(log.includes(text), text).toBe(false);
  }
  // In the database, six digits may be part of any number.
  for (const code of codes) expect(log.includes(`"${code}"`)).toBe(false);
});
