import * as entity from '@x/entity';
import { definition, everybody, model, rule, run, type Samples } from './sample.ts';

const fieldOptions = {
  nullable: true,
  default: undefined,
  readOnly: true,
  hidden: true,
  serverValue: run,
  schema: run,
  renamedFrom: 'a',
  backfill: undefined,
};

const every = { ...fieldOptions, unique: true };

const actionOptions = {
  input: run,
  output: run,
  rule: [],
  path: 'a',
  status: 200,
  rateLimit: undefined,
  summary: 'A',
  errors: [],
  handler: run,
};

const hooks = { create: run, update: run, delete: run };

export const entitySamples: Samples = {
  action: { options: { ...actionOptions, method: 'POST', resourceOf: run }, call: entity.action },
  recordAction: {
    options: { ...actionOptions, method: 'POST' },
    call: (options) => entity.recordAction(model, options),
  },
  'defineService.actions.count.rateLimit': {
    options: { max: 1, windowSeconds: 1, per: 'caller' },
    call: (rateLimit) =>
      entity.defineService({ name: 'a', actions: { count: entity.action({ rule, handler: run, rateLimit }) } }),
  },
  defineService: { options: { name: 'a', actions: [], definition: run }, call: entity.defineService },
  defineEntity: {
    options: {
      model: run,
      access: {
        ...everybody,
        list: false,
        get: false,
        create: false,
        update: false,
        delete: false,
        bulk: false,
        export: false,
        import: false,
        fields: [],
      },
      actions: [],
      definition: run,
      resource: { type: 'team', creatorRole: 'lead' },
      recordAccess: [],
      tenant: 'a',
      maxLimit: 1,
      hooks: { before: hooks, after: hooks, afterCommit: hooks },
    },
    call: (options: object) => entity.defineEntity({ access: everybody, ...options, ...{ model, definition } }),
  },
  'defineEntity.access.fields': {
    options: { read: false, write: false },
    call: (text) => entity.defineEntity({ model, access: { ...everybody, fields: { text } } }),
  },
  defineModel: {
    options: { fields: [], relations: [], indexes: [], unique: [], parent: undefined, renamedFrom: 'a' },
    call: (options) => entity.defineModel('notes', options),
  },
  'defineModel.indexes': {
    options: { fields: ['a'], where: undefined },
    call: (index: object) =>
      entity.defineModel('notes', {
        fields: { a: entity.field.text() },
        indexes: [{ fields: ['a'], ...index, where: { a: null } }],
      }),
  },
  'defineModel.unique': {
    options: { fields: ['a'], where: undefined },
    call: (index: object) =>
      entity.defineModel('notes', {
        fields: { a: entity.field.text() },
        unique: [{ fields: ['a'], ...index, where: { a: null } }],
      }),
  },
  hasMany: { options: { through: 'a' }, call: (options) => entity.hasMany('tags', options) },
  'field.uuid': {
    options: { ...every, generated: true, references: 'a', onDelete: 'cascade' },
    call: (options) => entity.field.uuid(options),
  },
  'field.text': { options: { ...every, maxLength: 1, trim: true }, call: (options) => entity.field.text(options) },
  'field.integer': { options: every, call: (options) => entity.field.integer(options) },
  'field.number': { options: every, call: (options) => entity.field.number(options) },
  'field.decimal': { options: every, call: (options) => entity.field.decimal(6, 2, options) },
  'field.boolean': { options: every, call: (options) => entity.field.boolean(options) },
  'field.timestamp': { options: every, call: (options) => entity.field.timestamp(options) },
  'field.date': { options: every, call: (options) => entity.field.date(options) },
  'field.json': { options: fieldOptions, call: (options) => entity.field.json(options) },
  'field.enum': {
    options: { ...every, replacedValues: undefined },
    call: (options) => entity.field.enum(['a'], options),
  },
  createEntities: {
    options: { entities: [], services: [], stores: run, access: null, logger: run },
    call: entity.createEntities,
  },
};
