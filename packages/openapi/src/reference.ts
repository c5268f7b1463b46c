export { readScalar, referencePage, referencePolicy, startScript } from './reference/reference-page.ts';
