export { describeStores } from './testing/describe-stores.ts';
export type { DescribeStoresOptions } from './testing/describe-stores.ts';
export type { StoreEngine, TestDatabase, TestLimits } from './testing/engine.ts';
export { ManualClock } from './testing/manual-clock.ts';
export type { SampleColumn } from './testing/any-where.ts';
export { describeConditions } from './testing/describe-conditions.ts';
export type { ConditionTable, CreateConditionTable } from './testing/describe-conditions.ts';
export { sampleEntities } from './testing/sample-entities.ts';
