export type { Access, AccessClient, WithAccess } from './access/access.ts';
export type { ActionClients } from './action/action-client.ts';
export type { App, DeclaredEntity, DeclaredService, Models } from './app/app.ts';
export type { AuthClient } from './auth/auth-client.ts';
export type { MfaClient } from './auth/mfa-client.ts';
export type { Subscribable } from './change/signal.ts';
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
export type { FieldOf, Filter, ListFilter, RecordQuery } from './entity/list-query.ts';
export type { PathOf, SerializedRecord, SelectedRecord } from './entity/shown-record.ts';
export type { Call, CallOptions, Done, InputCall } from './request/call.ts';
export type { ClientError, ClientFailure, ClientResult, TransportErrorCode } from './request/client-result.ts';
export type { Serialized } from './request/on-wire.ts';
export { pages } from './request/pages.ts';
export type { Page, PageOptions } from './request/pages.ts';
export type { RequestOptions } from './request/send.ts';
export type { NewSession } from './session/known-session.ts';
export type { SessionState } from './session/session-state.ts';
