export { createOpenApiDocument, createOpenApiDocumentInSteps } from './create-openapi-document.ts';
export type { DocumentOptions } from './create-openapi-document.ts';
export type { DocumentInfo, OpenApiDocument } from './document/document.ts';
