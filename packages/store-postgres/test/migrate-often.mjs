// Migrates each database whose URL the parent sends, and answers with the outcome.
import { patient } from '@x/test-support/patient';
import { createPostgresStores } from '../src/index.ts';

async function migrate(url) {
  // A start waits longer for a connection than calls do.
  const patience = { ...patient, connectMs: 1000 };
  const stores = createPostgresStores({ patience, url, clock: { now: () => new Date() } });
  try {
    await stores.migrate();
    return await stores.counters.add('migrated', 1);
  } catch (error) {
    return String(error.cause ?? error);
  } finally {
    await stores.close();
  }
}

process.once('disconnect', () => process.exit());
process.on('message', (url) => void migrate(url).then((outcome) => process.send(outcome)));
process.send('ready');
