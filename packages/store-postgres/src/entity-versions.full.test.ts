import { describeEntityVersions } from '@x/store-testing';
import { createEvolvingDatabase } from './testing/evolving-database.ts';

describeEntityVersions('Postgres', createEvolvingDatabase);
