import { ConfigurationError } from './errors.ts';
import { isObject } from './input.ts';

/**
 * The names of an interface's options, which the compiler compares with the interface. `true`: the value is not looked
 * into; a record names the options of a nested object.
 */
export type OptionNames<Options> = {
  readonly [Name in keyof Options]-?: true | OptionNames<Extract<NonNullable<Options[Name]>, object>>;
};

/** {@link OptionNames} of some interface. */
type Names = Readonly<Record<string, unknown>>;

/**
 * Finds the options that do not exist, which may be misspelt: one sentence each, with the nearest name:
 * `session.cokie: unknown option, did you mean session.cookie?` A value of
 * `undefined` counts, and so do inherited options and `__proto__`. Anything that is no object has no options.
 *
 * @param place - what the options belong to, such as `tasks.access`. Default: they are settings of their own
 */
export function findUnknownOptions(options: unknown, known: Names, place = ''): readonly string[] {
  if (!isObject(options)) return [];
  const prefix = place === '' ? '' : `${place}.`;
  const problems: string[] = [];
  for (const name in options) {
    const inner = known[name];
    // Nothing that a record inherits is `true`, so this needs no `hasOwn`: verbs do it in every call.
    if (inner === true) continue;
    const problemsOf =
      isObject(inner) && Object.hasOwn(known, name)
        ? findUnknownOptions(options[name], inner, `${prefix}${name}`)
        : [describeUnknownOption(name, Object.keys(known), place)];
    problems.push(...problemsOf);
  }
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
export function refuseUnknownOptions(options: unknown, known: Names, place?: string): void {
  const problems = findUnknownOptions(options, known, place);
  if (problems.length > 0) throw new ConfigurationError(problems);
}

/**
 * Refuses options that do not exist where a verb is called: a mistake in the program, not in its configuration.
 *
 * @throws TypeError for the first of them, as {@link findUnknownOptions} describes it
 */
export function assertKnownOptions(options: unknown, known: Names, place?: string): void {
  const [problem] = findUnknownOptions(options, known, place);
  if (problem !== undefined) throw new TypeError(problem);
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
