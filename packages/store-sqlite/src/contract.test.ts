import { describeStores } from '@x/store-testing';
import { sqliteEngine } from './testing/sqlite-engine.ts';

describeStores('sqlite', sqliteEngine, { rounds: process.env['DEEP'] ? 80 : 1, tests: 'steps' });
