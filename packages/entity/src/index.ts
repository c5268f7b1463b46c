export { action, recordAction } from './action/action.ts';
export type { Action, ActionDeclaration, ActionTerms, RecordAction, RecordActionDeclaration } from './action/action.ts';
export type { ActionContext, ActionTools, RecordActionContext } from './action/action-context.ts';
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
export type { ServiceDeclaration } from './action/service.ts';
export type { Service, ServiceActions } from './action/service.ts';

export { defineEntity } from './definition/define-entity.ts';
export type { EntityDeclaration } from './definition/define-entity.ts';
export type { AccessMap, Entity, EntityActions, ResourceBinding } from './definition/entity.ts';
export type {
  CommittedContext,
  DoneUpdate,
  EntityHooks,
  HookContext,
  PlannedUpdate,
} from './definition/entity-hooks.ts';
export type { FieldAccess, FieldAccessMap } from './definition/entity.ts';
export type { FieldRules } from './authorization/operation-rule.ts';
export type { Operation } from './authorization/operation-rule.ts';

export { field } from './model/field.ts';
export type {
  Caller,
  Field,
  FieldOptions,
  FieldType,
  JsonOptions,
  TimestampOptions,
  UuidOptions,
} from './model/field.ts';

export { assertUnchanged } from './model/record-input.ts';
export { createCreateParser, createUpdateParser } from './model/record-input.ts';
export type { ParseRecordInput, RecordInput } from './model/record-input.ts';
export { toNewRecord } from './model/record-input.ts';
export type { NewRecordContext } from './model/record-input.ts';

export { defineModel } from './model/define-model.ts';
export type { ModelDeclaration } from './model/define-model.ts';
export type {
  CreateInputOf,
  Fields,
  GuardedModel,
  Model,
  RecordOf,
  Relations,
  StoredRecordOf,
  UpdateInputOf,
} from './model/model.ts';
export { toMaxTextLength } from './model/value-schema.ts';
export { toEntityTables } from './model/to-entity-tables.ts';
export { belongsTo, hasMany } from './model/model.ts';
export type { Relation } from './model/model.ts';

export { toListCursor } from './query/list-cursor.ts';
export type { Inclusion } from './query/parse-include.ts';
export type { ListQuery } from './query/parse-list-query.ts';
export type { FindModel } from './query/parse-include.ts';
export { parseListQuery } from './query/parse-list-query.ts';
export type { QueryTerms } from './query/parse-list-query.ts';
export { toQueryObject } from './query/to-query-object.ts';

export { findResourceColumns } from './definition/find-resource-columns.ts';
export type { ResourceColumn, ResourceColumns } from './authorization/resource-column.ts';
export { createEntities } from './operation/create-entities.ts';
export type { Entities, EntitiesOptions } from './operation/create-entities.ts';
export type {
  ActionOwner,
  ActionRequest,
  EntityApi,
  EntityName,
  ListRequest,
  RecordPage,
  VersionedRecord,
} from './action/entity-api.ts';
export type { AccessSource } from './operation/scope.ts';
