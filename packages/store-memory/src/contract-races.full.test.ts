import { describeStores } from '@x/store-testing';
import { memoryEngine } from './testing/memory-engine.ts';

describeStores('memory', memoryEngine, { rounds: process.env['DEEP'] ? 20 : 1, tests: 'races' });
