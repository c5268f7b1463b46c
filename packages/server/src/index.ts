export type { Admission, InFlight } from './admission/admission.ts';
export { createServer } from './create-server.ts';
export type { Server, ServerOptions, StoreNeeds } from './create-server.ts';
export type { MeasuredResponse, ServerMetrics } from './http/server-metrics.ts';
export type { OrganizationsOfAuth, ServerOrganizations } from './wiring/organizations.ts';
export type { AccessSetup, ServerAccess } from './wiring/server-access.ts';
