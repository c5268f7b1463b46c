export type { Admission, InFlight } from './admission/admission.ts';
export { createServer } from './create-server.ts';
export type { Server, ServerOptions } from './create-server.ts';
export { createDatabaseClock } from './database-clock.ts';
export type { DatabaseClock, DatabaseClockOptions } from './database-clock.ts';
export type { OrganizationsOfAuth, ServerOrganizations } from './organizations.ts';
export type { AccessSetup, ServerAccess, ServerOrgLookup, ServerOrgResolver } from './server-access.ts';
