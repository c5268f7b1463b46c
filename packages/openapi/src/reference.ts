export { readScalar } from './reference/read-scalar.ts';
export { referencePage, referencePolicy, startScript } from './reference/reference-page.ts';
