export { action, recordAction } from './action/action.ts';
export type {
  Action,
  ActionDeclaration,
  ActionOptions,
  RecordAction,
  RecordActionDeclaration,
} from './action/action.ts';
export type { ActionContext, ActionTools, RecordActionContext } from './action/action.ts';
export type {
  ActionInputOf,
  ActionMethod,
  ActionRateLimit,
  ActionResultOf,
  ActionShape,
  ActionShapes,
} from './action/action-shape.ts';
export type { CompiledAction } from './action/compile-actions.ts';
export { defineService } from './action/service.ts';
export type { Service, ServiceActions, ServiceDeclaration } from './action/service.ts';

export { defineEntity } from './definition/define-entity.ts';
export type { EntityDeclaration } from './definition/define-entity.ts';
export type {
  AccessMap,
  Entity,
  EntityActions,
  FieldAccess,
  FieldAccessMap,
  ResourceBinding,
} from './definition/entity.ts';
export type {
  CommittedContext,
  DoneUpdate,
  EntityHooks,
  HookContext,
  PlannedUpdate,
} from './definition/entity-hooks.ts';
export { findResourceColumns } from './authorization/resource-columns.ts';
export type { Operation } from './authorization/authorization.ts';
export type { OperationRule } from './authorization/operation-rule.ts';

export { field, from } from './model/field.ts';
export type {
  Caller,
  Field,
  EnumOptions,
  FieldOptions,
  FieldSource,
  IntegerOptions,
  ReferenceOptions,
  FieldType,
  JsonOptions,
  TextOptions,
  TimestampOptions,
  UuidOptions,
} from './model/field.ts';
export { defineModel } from './model/define-model.ts';
export type { ModelDeclaration } from './model/define-model.ts';
export { belongsTo, hasMany } from './model/model.ts';
export type {
  CreateInputOf,
  Fields,
  GuardedModel,
  Model,
  RecordOf,
  Relation,
  Relations,
  StoredRecordOf,
  SystemCreateInputOf,
  SystemUpdateInputOf,
  UpdateInputOf,
} from './model/model.ts';
export type {
  AggregateGroup,
  AggregateQuery,
  ComparableOf,
  FieldOf,
  Filter,
  ListFilter,
  ListQuery,
  MeasureOf,
  Models,
  PathOf,
  RecordQuery,
  SelectedRecord,
  SerializedRecord,
} from './query/query-types.ts';
export { aggregateTypes } from './query/parse-aggregate-query.ts';
export type { WatchedList } from './operation/watch.ts';
export { toEntityTables } from './model/to-entity-tables.ts';
export { isMovable } from './record/move.ts';
export { toMaxTextLength } from './model/value-schema.ts';

export { createEntities } from './create-entities.ts';
export type { Entities, EntitiesOptions } from './create-entities.ts';
export type { OpenTransaction } from './call/call.ts';
export type {
  ActionOwner,
  ActionRequest,
  CountedPage,
  EntityApi,
  EntityName,
  FailedLine,
  ImportOutcome,
  RecordPage,
  SystemApi,
  VersionedRecord,
} from './action/entity-api.ts';

export { endpointsOf, endpointsOfService } from './http/endpoints.ts';
export type { Endpoint } from './http/endpoints.ts';
