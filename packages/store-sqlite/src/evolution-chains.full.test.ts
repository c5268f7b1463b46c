import { describeEvolutionChains } from '@x/store-testing';
import { createEvolvingDatabase } from './testing/evolving-database.ts';

describeEvolutionChains('SQLite', createEvolvingDatabase, { rounds: process.env['DEEP'] ? 170 : 1 });
