import { describeStores } from '@x/store-testing';
import { afterAll } from 'vitest';
import { createPostgresEngine, dropDatabases } from './testing/postgres-engine.ts';

describeStores('postgres', createPostgresEngine(), { rounds: process.env['DEEP'] ? 20 : 1, tests: 'races' });
afterAll(dropDatabases);
