import type { DocumentOptions } from '@x/openapi';

/** What the OpenAPI document says of the demo. */
export const documentInfo: NonNullable<DocumentOptions['info']> = { title: 'Tracker', version: '0.1.0' };
