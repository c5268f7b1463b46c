import { describeEvolutionChains } from '@x/store-testing';
import { createEvolvingDatabase } from './testing/evolving-database.ts';

describeEvolutionChains('Postgres', createEvolvingDatabase, { rounds: process.env['DEEP'] ? 50 : 1 });
