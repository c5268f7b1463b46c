import type { SchemaInput, SchemaOutput, StandardSchema } from '@x/errors';

/** A field that an app adds to its users. */
export interface UserField {
  /**
   * The values that the field accepts, as a schema of zod or any library that implements Standard Schema; optional if
   * the field may be absent. Its output must be JSON. A user who lacks a required field, because their provider does
   * not give it, is `incomplete`.
   */
  readonly schema: StandardSchema;
  /** Whether the field is part of the public `User`, and so of the JWT. Default true. */
  readonly public?: boolean;
  /** Whether users may change the field with `PATCH /user`. Default false. */
  readonly update?: boolean;
  /**
   * Whether sign-up takes the field from its caller. Default: only if it is public and required, so that callers do not
   * choose a value that has a default.
   */
  readonly signUp?: boolean | undefined;
}

/** The fields that an app adds to its users, by name. */
export type UserFields = Readonly<Record<string, UserField>>;

/** The fields of an app that declares none; code that serves any app names no others. */
export type NoFields = {};

/** The input of some of the fields: those whose schema accepts `undefined` are optional. */
export type FieldInputs<Fields extends UserFields, Names extends keyof Fields = keyof Fields> = {
  readonly [Name in Names as undefined extends InputOf<Fields[Name]> ? never : Name]: InputOf<Fields[Name]>;
} & {
  readonly [Name in Names as undefined extends InputOf<Fields[Name]> ? Name : never]?: InputOf<Fields[Name]>;
};

/** The fields that sign-up takes: those with `signUp`, and those that are public and required. */
export type SignUpFields<Fields extends UserFields> = FieldInputs<
  Fields,
  { [Name in keyof Fields]: IsTaken<Fields[Name]> extends true ? Name : never }[keyof Fields]
>;

/** A field that is declared on its own has a `signUp` of type `boolean`: it may be true. */
type IsTaken<Field extends UserField> = Field extends { readonly signUp: infer SignUp }
  ? true extends SignUp
    ? true
    : false
  : undefined extends InputOf<Field>
    ? false
    : IsPublic<Field>;

/** The fields that users may change of their own: those with `update`. Absent ones stay as they are. */
export type UserUpdate<Fields extends UserFields> = {
  readonly [Name in keyof Fields as IsEditable<Fields[Name]> extends true ? Name : never]?: InputOf<Fields[Name]>;
};

/**
 * The fields that a user shows. Each may be absent, even a required one: from a user who was there before the field was
 * declared, or whose provider does not give it.
 */
export type PublicFields<Fields extends UserFields> = {
  readonly [Name in keyof Fields as IsPublic<Fields[Name]> extends true ? Name : never]?: OutputOf<Fields[Name]>;
};

/** Only a field without `public` is public for certain, as far as types show: apps do not write the default. */
type IsPublic<Field extends UserField> = Field extends { readonly public: infer Public }
  ? false extends Public
    ? false
    : true
  : true;

/** A field that is declared on its own has an `update` of type `boolean`: it may be true. */
type IsEditable<Field extends UserField> = Field extends { readonly update: infer Update }
  ? true extends Update
    ? true
    : false
  : false;

type InputOf<Field extends UserField> = SchemaInput<Field['schema']>;

type OutputOf<Field extends UserField> = SchemaOutput<Field['schema']>;
