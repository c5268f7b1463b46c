import type { Rule } from '@x/access';
import type { Model } from '../model/model.ts';

/** Who may read and write one field, among those who may read and write the record. Without a rule, all of them. */
export interface FieldAccess {
  /**
   * Who may read it. For others, the record does not have the field, and queries can't refer to it. `false` allows
   * nobody.
   */
  readonly read?: Rule | false;
  /**
   * Who may write it: decided on the new record when creating, and on the record before the change when updating.
   * `false` allows nobody.
   */
  readonly write?: Rule | false;
}

/** Rules of single fields, by the names of these. */
export type FieldAccessMap<M extends Model = Model> = { readonly [Name in keyof M['fields'] & string]?: FieldAccess };

/** Refuses names that are not fields, which type inference from the value would otherwise accept. */
export type KnownFields<M extends Model, F> = { readonly [Name in Exclude<keyof F, keyof M['fields']>]: never };

/** The names of the fields with a read rule. */
export type ReadGuarded<F> = { [Name in keyof F & string]: 'read' extends keyof F[Name] ? Name : never }[keyof F &
  string];
