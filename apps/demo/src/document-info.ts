import type { DocumentOptions } from '@x/openapi';

/** Information about the demo in the OpenAPI document. */
export const documentInfo: NonNullable<DocumentOptions['info']> = { title: 'Tracker', version: '0.1.0' };
