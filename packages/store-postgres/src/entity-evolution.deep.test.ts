import { describeEntityEvolution } from '@x/store/suites';
import { createEvolvingDatabase } from './testing/evolving-database.ts';

describeEntityEvolution('Postgres', createEvolvingDatabase, { rounds: 50 });
