import { describeEntityEvolution } from '@x/store/suites';
import { createEvolvingDatabase } from './testing/evolving-database.ts';

describeEntityEvolution('SQLite', createEvolvingDatabase, { rounds: 170 });
