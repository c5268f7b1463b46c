import { describeStores } from '@x/store/suites';
import { afterAll } from 'vitest';
import { dropDatabases, postgresEngine } from './testing/postgres-engine.ts';

describeStores('postgres', postgresEngine, { rounds: process.env['DEEP'] ? 20 : 1 });
afterAll(dropDatabases);
