export { describeStores } from './testing/describe-stores.ts';
export type { DescribeStoresOptions, SuiteName } from './testing/describe-stores.ts';
export { patient } from './testing/store-test.ts';
export type { StoreEngine, TestDatabase, TestLimits } from './testing/store-test.ts';
export { sampleEntities } from './testing/entity/sample-entities.ts';
export { describeEntityEvolution } from './testing/entity/describe-entity-evolution.ts';
export type { EvolvingDatabase } from './testing/entity/evolving-database.ts';
