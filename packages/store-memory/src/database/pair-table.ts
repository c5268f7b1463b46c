/**
 * Values with two keys, found by both and listed by either.
 *
 * A table created by {@link overlay} reads through to the table below and keeps its own changes until {@link commit};
 * the table below must not change before that. A table must not be changed while it is visited.
 */
export class PairTable<Value extends object | boolean> {
  readonly #below: PairTable<Value> | undefined;
  /** In an overlay, null hides a value of the table below. */
  readonly #byFirst = new Map<string, Group<Value>>();
  readonly #bySecond = new Map<string, Group<Value>>();

  #observe: ObserveValue<Value> | undefined;

  constructor(below?: PairTable<Value>) {
    this.#below = below;
  }

  /** Calls a function with each value that changes from now on, at once. For a table with nothing below it. */
  observe(onChange: ObserveValue<Value>): void {
    this.#observe = onChange;
  }

  get(first: string, second: string): Value | undefined {
    const own = this.#byFirst.get(first)?.values.get(second);
    if (own !== undefined) return own ?? undefined;
    return this.#below?.get(first, second);
  }

  /** Returns the values with this first key, by their second key. Use them before anything changes. */
  groupFirst(first: string): ReadonlyMap<string, Value> {
    return this.#mergeFirst(first);
  }

  /** Lists the values with this first key. */
  selectFirst(first: string): readonly Value[] {
    return this.#below ? [...this.#mergeFirst(first).values()] : shownOf(this.#byFirst.get(first));
  }

  /** Lists the values with this second key. */
  selectSecond(second: string): readonly Value[] {
    return this.#below ? [...this.#mergeSecond(second).values()] : shownOf(this.#bySecond.get(second));
  }

  put(first: string, second: string, value: Value): void {
    this.#write(first, second, value);
  }

  delete(first: string, second: string): void {
    if (this.#below) this.#write(first, second, null);
    else this.#erase(first, second);
  }

  /** Creates a table on top of this one. */
  overlay(): PairTable<Value> {
    return new PairTable(this);
  }

  /** Applies the changes to the table below. This table must not be used any more. */
  commit(): void {
    for (const [first, { values }] of this.#byFirst) {
      for (const [second, value] of values) {
        if (value === null) this.#below?.delete(first, second);
        else this.#below?.put(first, second, value);
      }
    }
  }

  #write(first: string, second: string, value: Value | null): void {
    this.#observe?.([first, second], this.get(first, second) ?? null, value);
    writeTo(this.#byFirst, [first, second], value);
    writeTo(this.#bySecond, [second, first], value);
  }

  #erase(first: string, second: string): void {
    this.#observe?.([first, second], this.get(first, second) ?? null, null);
    eraseFrom(this.#byFirst, first, second);
    eraseFrom(this.#bySecond, second, first);
  }

  /** This table's group merged over that of the table below. */
  #mergeFirst(first: string): ReadonlyMap<string, Value> {
    return merge(this.#below ? this.#below.#mergeFirst(first) : undefined, this.#byFirst.get(first)?.values);
  }

  #mergeSecond(second: string): ReadonlyMap<string, Value> {
    return merge(this.#below ? this.#below.#mergeSecond(second) : undefined, this.#bySecond.get(second)?.values);
  }
}

/** Receives a value with its keys, before and after a change; null if there is none. */
type ObserveValue<Value> = (
  keys: readonly [first: string, second: string],
  before: Value | null,
  after: Value | null,
) => void;

/** All values that share one key. */
interface Group<Value> {
  /** By the other key. */
  readonly values: Map<string, Value | null>;
  /** The list of values, cached until one changes. */
  listed: readonly Value[] | undefined;
}

const nothing: readonly never[] = [];

const empty: ReadonlyMap<string, never> = new Map<string, never>();

/** The values of a table with nothing below it, where none is null. */
function shownOf<Value>(group: Group<Value> | undefined): readonly Value[] {
  if (!group) return nothing;
  return (group.listed ??= [...(group.values as ReadonlyMap<string, Value>).values()]);
}

function writeTo<Value>(
  groups: Map<string, Group<Value>>,
  [key, member]: readonly [string, string],
  value: Value | null,
): void {
  let group = groups.get(key);
  if (!group) groups.set(key, (group = { values: new Map(), listed: undefined }));
  group.values.set(member, value);
  group.listed = undefined;
}

function eraseFrom<Value>(groups: Map<string, Group<Value>>, key: string, member: string): void {
  const group = groups.get(key);
  if (!group) return;
  group.values.delete(member);
  group.listed = undefined;
  if (group.values.size === 0) groups.delete(key);
}

function merge<Value>(
  below: ReadonlyMap<string, Value> | undefined,
  own: ReadonlyMap<string, Value | null> | undefined,
): ReadonlyMap<string, Value> {
  // With nothing below, there is nothing to hide.
  if (!below) return (own as ReadonlyMap<string, Value> | undefined) ?? empty;
  if (!own) return below;
  const merged = new Map(below);
  for (const [key, value] of own) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return merged;
}
