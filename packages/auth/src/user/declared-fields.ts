import { pathOfIssue, type StandardSchema, validateBySchema } from '@x/errors';
import { z } from 'zod';
import type { UserField, UserFields } from './fields.ts';

/** A field with its defaults, and with a schema of zod, of which those of inputs and of the document are made. */
interface DeclaredField extends Required<UserField> {
  readonly schema: z.ZodType;
  /** Whether its schema refuses a user without it. */
  readonly isRequired: boolean;
  readonly signUp: boolean;
}

/** The fields of an app, by name. */
export type DeclaredFields = Readonly<Record<string, DeclaredField>>;

/** Fills in the defaults of fields, for schemas of every library. */
export function declareFields(userFields: UserFields): DeclaredFields {
  return Object.fromEntries(Object.entries(userFields).map(([name, field]) => [name, declareField(field)]));
}

function declareField({ schema, public: isPublic = true, update = false, signUp }: UserField): DeclaredField {
  const isRequired = refusesNothing(schema);
  return {
    schema: toZod(schema, isRequired),
    public: isPublic,
    update,
    isRequired,
    signUp: signUp ?? (isRequired && isPublic),
  };
}

/** A schema that fails requires nothing: it can be asked only when there is a value. */
function refusesNothing(schema: StandardSchema): boolean {
  try {
    return validateBySchema(schema, undefined).issues !== undefined;
  } catch {
    return false;
  }
}

/** A schema of zod knows itself whether it may be absent, and describes itself; others do so in their JSON Schema. */
function toZod(schema: StandardSchema, isRequired: boolean): z.ZodType {
  if (isZod(schema)) return schema;
  const { input, output } = schema['~standard'].jsonSchema ?? {};
  const given = z.unknown().meta({ ...input?.({ target: 'draft-2020-12' }) });
  return (isRequired ? given : given.optional())
    .transform((value, context) => {
      const result = validateBySchema(schema, value);
      if (!result.issues) return result.value;
      for (const issue of result.issues) {
        context.addIssue({ code: 'custom', message: issue.message, path: pathOfIssue(issue) });
      }
      return z.NEVER;
    })
    .pipe(z.unknown().meta({ ...output?.({ target: 'draft-2020-12' }) }));
}

/** Known by its shape rather than its class: the app may use another copy of zod. */
function isZod(schema: StandardSchema): schema is z.ZodType {
  return '_zod' in schema;
}
