import type { Rule } from '@x/access';
import type { Model } from '../model/model.ts';

/** Who may read and write one field of the records that they may read and write; without a rule, all of those. */
export interface FieldAccess {
  /** Who is shown it. To others a record does not have it, and nothing can be asked of it. `false` is for nobody. */
  readonly read?: Rule | false;
  /**
   * Who may choose it: in a new record by what that holds, in a change by what the record holds before. `false` is for
   * nobody.
   */
  readonly write?: Rule | false;
}

/** Rules of single fields, by the names of these. */
export type FieldAccessMap<M extends Model = Model> = { readonly [Name in keyof M['fields'] & string]?: FieldAccess };

/** Refuses names that are no fields: where a type is found by the value, nobody else does. */
export type KnownFields<M extends Model, F> = { readonly [Name in Exclude<keyof F, keyof M['fields']>]: never };

/** The names of the fields that have a rule of reading. */
export type ReadGuarded<F> = { [Name in keyof F & string]: 'read' extends keyof F[Name] ? Name : never }[keyof F &
  string];
