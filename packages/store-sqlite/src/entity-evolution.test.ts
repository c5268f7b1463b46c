import { describeEntityEvolution } from '@x/store-testing';
import { createEvolvingDatabase } from './testing/evolving-database.ts';

describeEntityEvolution('SQLite', createEvolvingDatabase);
