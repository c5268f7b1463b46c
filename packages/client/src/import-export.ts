export { exportRecords } from './transfer/export-records.ts';
export type { ImportFailure, ImportOptions, ImportProgress } from './transfer/import-records.ts';
export { importRecords } from './transfer/import-records.ts';
