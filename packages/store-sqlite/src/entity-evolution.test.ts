import { describeEntityEvolution, describeEntityVersions } from '@x/store-testing';
import { createEvolvingDatabase } from './testing/evolving-database.ts';

describeEntityEvolution('SQLite', createEvolvingDatabase);
describeEntityVersions('SQLite', createEvolvingDatabase);
