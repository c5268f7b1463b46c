export type { Access, AccessClient, WithAccess } from './access/access.ts';
export type { ActionClients } from './action/actions.ts';
export type { App, DeclaredEntity, DeclaredService, Models } from './app.ts';
export type { AuthClient } from './auth/auth-client.ts';
export type { MfaClient } from './auth/auth-client.ts';
export type { Subscribable } from './signal.ts';
export { createClient } from './create-client.ts';
export type { Client, ClientOptions } from './create-client.ts';
export type {
  Bulk,
  BulkResult,
  EntityClient,
  ListQuery,
  RecordPage,
  VersionedResult,
  WriteOptions,
} from './entity/entity-client.ts';
export type { FieldOf, Filter, ListFilter, RecordQuery } from './entity/query-types.ts';
export type { PathOf, SerializedRecord, SelectedRecord } from './entity/query-types.ts';
export type { Call, CallOptions, Done, InputCall } from './request/call.ts';
export type { ClientError, ClientFailure, ClientResult, TransportErrorCode } from './request/send.ts';
export type { Serialized } from './request/send.ts';
export { pages } from './request/pages.ts';
export type { Page, PageOptions } from './request/pages.ts';
export type { RequestOptions } from './request/send.ts';
export type { NewSession } from './session/session-state.ts';
export type { SessionState } from './session/session-state.ts';
