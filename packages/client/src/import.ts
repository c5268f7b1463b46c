export type { ImportFailure, ImportOptions, ImportProgress } from './import/import-records.ts';
export { importRecords } from './import/import-records.ts';
