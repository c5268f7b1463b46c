// Migrates the database at argv[2] to the declaration of a test that kills it, and kills itself after argv[3] batches.
import { systemClock } from '@x/store';
import { patient } from '@x/test-support/patient';
import { convertedEntities } from '../../store-testing/src/entity/killed-declarations.ts';
import { createPostgresStores } from '../src/create-postgres-stores.ts';

const stores = createPostgresStores({
  patience: patient,
  url: process.argv[2],
  clock: systemClock,
  entities: convertedEntities,
});
process.once('disconnect', () => process.exit());
process.send('begun');
let batches = 0;
const onProgress = () => {
  batches += 1;
  if (String(batches) === process.argv[3]) process.kill(process.pid, 'SIGKILL');
};
await stores.migrate({ allowContract: true, onProgress });
await stores.close();
process.disconnect();
