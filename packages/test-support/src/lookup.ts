export { lookUp } from './lookup/lookup.ts';
export { provideFolder } from './lookup/provide-folder.ts';
