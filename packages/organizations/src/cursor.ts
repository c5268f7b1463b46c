import { CodedError } from '@x/errors';
import { isStorableText } from '@x/store';
import { z } from 'zod';

/** Which page of a list is read. */
export interface PageQuery {
  /** How many, 1 to 100. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before. */
  readonly after?: string | undefined;
}

/** The size of a page in a URL: a whole number from 1 to 100, in decimal digits and nothing else. */
const pageLimit: z.ZodType<number, number> = z
  .custom<number>((value) => typeof value === 'number' || /^\d{1,3}$/.test(String(value)), 'Expected a whole number')
  .meta({ type: 'integer', minimum: 1, maximum: 100 })
  .transform(Number)
  .pipe(z.int().min(1).max(100));

/** A flag in a URL: `true` or `false`. */
export const flag: z.ZodType<boolean, boolean> = z
  .custom<boolean>((value) => ['true', 'false'].includes(String(value)), 'Expected true or false')
  .meta({ type: 'boolean' })
  .transform((value) => String(value) === 'true');

/** The schemas of the fields of {@link PageQuery}. */
export const pageFields: { readonly [Name in keyof PageQuery]-?: z.ZodType<PageQuery[Name], PageQuery[Name]> } = {
  limit: pageLimit.optional(),
  after: z.string().max(4000).optional(),
};

/** The schema of {@link PageQuery}. */
export const pageQuery: z.ZodType<PageQuery, PageQuery> = z.strictObject(pageFields);

/** Writes the position of an item in a list, which stays the same when that item is gone. */
export function toCursor(position: readonly string[]): string {
  return btoa(encodeURIComponent(JSON.stringify(position)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/**
 * Reads a position of as many parts.
 *
 * @throws CodedError `INVALID_QUERY` for what is no cursor
 */
export function parseCursor(cursor: string, parts: number): readonly string[] {
  try {
    const text = decodeURIComponent(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')));
    const position = z.array(z.string().refine(isStorableText)).length(parts).parse(JSON.parse(text));
    if (toCursor(position) === cursor) return position;
  } catch {
    // A malformed cursor is answered like one that no page had.
  }
  throw notACursor();
}

/** The error for an `after` that no page had. */
export function notACursor(): CodedError {
  return new CodedError('INVALID_QUERY', 'The query is not valid.', {
    issues: [{ path: ['after'], code: 'custom', message: 'must be the nextCursor of a page' }],
  });
}
