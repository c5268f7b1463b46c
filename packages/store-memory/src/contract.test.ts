import { describeStores } from '@x/store-testing';
import { memoryEngine } from './testing/memory-engine.ts';

describeStores('memory', memoryEngine, { rounds: process.env['DEEP'] ? 80 : 1, tests: 'steps' });
