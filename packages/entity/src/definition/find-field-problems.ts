import type { Field } from '../model/field.ts';
import type { Model } from '../model/model.ts';
import type { FieldAccess, FieldAccessMap } from './entity.ts';

/** The parts of a declaration that rules of fields are checked against. */
export interface DeclaredFields {
  readonly model: Model;
  readonly fields: FieldAccessMap;
  readonly tenant: string | undefined;
  /** Whether records can be created at all. */
  readonly isCreatable: boolean;
}

/** Lists rules of fields that can have no effect, or would make the entity useless. */
export function findFieldProblems(declared: DeclaredFields): readonly string[] {
  const { model, fields } = declared;
  return Object.entries(fields).flatMap(([name, access]) => {
    const place = `${model.name}.access.fields.${name}`;
    const field = Object.hasOwn(model.fields, name) ? model.fields[name] : undefined;
    const problems = field
      ? [
          ...findShapeProblems(access),
          ...(access?.read === undefined ? [] : findReadProblems(declared, name, field)),
          ...(access?.write === undefined ? [] : findWriteProblems(declared, field, access.write)),
        ]
      : [model.allFields.has(name) ? 'every record shows it, and nobody can write it' : 'is not a field'];
    return problems.map((problem) => `${place}: ${problem}.`);
  });
}

function findShapeProblems(access: FieldAccess | undefined): readonly string[] {
  const names = Object.keys(access ?? {});
  const unknown = names.filter((name) => name !== 'read' && name !== 'write');
  return [
    ...unknown.map((name) => `there is no ${name} rule, only read and write`),
    ...(access?.read === undefined && access?.write === undefined ? ['has no rule'] : []),
  ];
}

function findReadProblems({ model, tenant }: DeclaredFields, name: string, { options }: Field): readonly string[] {
  return [
    ...(options.hidden ? ['is hidden, so nobody can read it'] : []),
    ...(name === tenant ? ['is the tenant, which everybody who sees a record knows'] : []),
    ...(name === model.parent ? ['is the parent, which everybody who sees a record knows'] : []),
  ];
}

function findWriteProblems({ isCreatable }: DeclaredFields, { options }: Field, rule: unknown): readonly string[] {
  const { hidden, readOnly, generated, serverValue, nullable, default: fallback } = options;
  if (hidden || readOnly || generated || serverValue) return ['callers can never write it'];
  const isNeeded = !nullable && fallback === undefined;
  return rule === false && isNeeded && isCreatable
    ? ['nobody could create a record: give it a default, or let it be null']
    : [];
}
