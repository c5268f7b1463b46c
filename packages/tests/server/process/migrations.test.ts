import { defineEntity, defineModel, field, toEntityTables } from '@x/entity';
import { createServer } from '@x/server';
import { createSqliteStores } from '@x/store-sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { recordingLogger } from '../../support/recording-logger.ts';

const access = { list: false, get: false, create: false, update: false, delete: false } as const;
const title = field.text();

it('logs each step of a migration that was taken, and each that waits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const start = async (fields: Parameters<typeof defineModel>[1]['fields'], allowContract = false) => {
    const notes = defineEntity({ model: defineModel('notes', { fields }), access });
    const { logger, lines } = recordingLogger();
    const server = await createServer({
      database: createSqliteStores({ path: join(folder, 'app.db'), entities: toEntityTables([notes.model]) }),
      logger,
      auth: { production: false, developmentKeysPath: folder, session: { strategy: 'jwt', algorithm: 'ES256' } },
      entities: [notes],
    });
    await server.initialize({ allowContract });
    await server.close();
    const ofMigration = lines.filter(({ message }) => message.startsWith('migration: '));
    return ofMigration.map(({ level, message }) => `${level}: ${message}`);
  };
  expect(await start({ title, rank: field.integer({ nullable: true }) })).toEqual([
    'info: migration: "create notes" is done (expand)',
  ]);
  const next = { title, done: field.boolean({ default: false }) };
  expect(await start(next)).toEqual([
    'info: migration: "add notes.done" is done (expand)',
    'warn: migration: "drop notes.rank" waits for allowContract',
  ]);
  expect(await start(next, true)).toEqual(['info: migration: "drop notes.rank" is done (contract)']);
  expect(await start(next)).toEqual([]);
});
