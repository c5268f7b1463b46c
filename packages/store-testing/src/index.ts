export { describeStores } from './describe-stores.ts';
export type { DescribeStoresOptions, SuiteName, SuitePart } from './describe-stores.ts';
export { patient } from './store-test.ts';
export type { StoreEngine, TestDatabase, TestLimits } from './store-test.ts';
export { sampleEntities } from './entity/sample-entities.ts';
export {
  describeEntityEvolution,
  describeEntityVersions,
  describeEvolutionChains,
} from './entity/describe-entity-evolution.ts';
export type { EvolvingDatabase } from './entity/evolving-database.ts';
