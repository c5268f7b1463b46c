import { ConfigurationError } from './errors.ts';
import { isObject } from './input.ts';

/**
 * An object with the names of all options; its values do not matter. The compiler refuses one that lacks a name, and a
 * literal with a name too many.
 */
type NamesOf<Options> = { readonly [Name in keyof Options]-?: unknown };

/**
 * Finds the options that do not exist, which may be misspelt: one sentence each, with the nearest name:
 * `session.cokie: unknown option, did you mean session.cookie?` A value of `undefined` counts, and so do inherited
 * options and `__proto__`. Anything that is no object has no options.
 *
 * @typeParam Options - has to be named where the options may be any object, or the compiler compares nothing
 * @param known - has the names that there are: `{ entities, clock }` of the values that were read from the options, for
 * example
 * @param place - the owner of the options, such as `tasks.access`. Default: they are settings of their own
 */
export function findUnknownOptions<Options>(
  options: Options | object | undefined,
  known: NoInfer<NamesOf<Options>>,
  place = '',
): readonly string[] {
  if (!isObject(options)) return [];
  const names = Object.keys(known);
  const problems: string[] = [];
  for (const name in options) if (!names.includes(name)) problems.push(describeUnknownOption(name, names, place));
  return problems;
}

/** Says that an option does not exist, and which one has the nearest name, or which there are if none is near. */
export function describeUnknownOption(name: string, known: readonly string[], place = ''): string {
  const prefix = place === '' ? '' : `${place}.`;
  const nearest = findNearest(name, known);
  return nearest === undefined
    ? `${prefix}${name}: unknown option; the known ones are ${known.join(', ')}.`
    : `${prefix}${name}: unknown option, did you mean ${prefix}${nearest}?`;
}

/**
 * Ends a sentence that refuses a name which something declared refers to, such as that of a field.
 *
 * @param otherwise - ends it if no known name is near. Default: nothing does
 * @returns `, did you mean ownerId?`, with the nearest name
 */
export function didYouMean(name: unknown, known: Iterable<string>, otherwise = ''): string {
  const nearest = findNearest(String(name), Array.from(known));
  return nearest === undefined ? otherwise : `, did you mean ${nearest}?`;
}

/** A name that shares less than half of its letters is no misspelling of this one, so suggesting it would mislead. */
function findNearest(name: string, known: readonly string[]): string | undefined {
  const distances = known.map((each) => editDistance(name.toLowerCase(), each.toLowerCase()));
  const distance = Math.min(...distances);
  const nearest = known[distances.indexOf(distance)];
  return nearest !== undefined && distance * 2 < Math.max(name.length, nearest.length) ? nearest : undefined;
}

/**
 * Refuses options that do not exist where something is created or declared.
 *
 * @throws ConfigurationError that lists all of them, as {@link findUnknownOptions} does
 */
export function refuseUnknownOptions<Options>(
  options: Options | object | undefined,
  known: NoInfer<NamesOf<Options>>,
  place?: string,
): void {
  const problems = findUnknownOptions<Options>(options, known, place);
  if (problems.length > 0) throw new ConfigurationError(problems);
}

/** Counts the insertions, deletions and replacements of single characters between two texts (Levenshtein). */
function editDistance(from: string, to: string): number {
  const columns = Array.from(to);
  let previous = [0, ...columns.keys()].map((_, column) => column);
  for (const [row, letter] of Array.from(from).entries()) {
    const current = [row + 1];
    for (const [column, other] of columns.entries()) {
      const [left = 0, above = 0, diagonal = 0] = [current[column], previous[column + 1], previous[column]];
      current.push(Math.min(left + 1, above + 1, diagonal + (letter === other ? 0 : 1)));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
