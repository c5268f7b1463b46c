export { createOpenApiDocument } from './document/create-openapi-document.ts';
export type { DocumentOptions } from './document/create-openapi-document.ts';
export type { DocumentInfo, OpenApiDocument } from './document/document.ts';
