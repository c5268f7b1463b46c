/**
 * Values of pairs of keys, found by both and visited by either.
 *
 * A table made by {@link overlay} reads through to the table below and keeps its own changes until {@link commit}; the
 * table below must not change before. A table must not be changed while it is visited.
 */
export class PairTable<Value extends object | boolean> {
  readonly #below: PairTable<Value> | undefined;
  /** In an overlay, null hides what is below. */
  readonly #byFirst = new Map<string, Map<string, Value | null>>();
  readonly #bySecond = new Map<string, Map<string, Value | null>>();

  constructor(below?: PairTable<Value>) {
    this.#below = below;
  }

  get(first: string, second: string): Value | undefined {
    const own = this.#byFirst.get(first)?.get(second);
    if (own !== undefined) return own ?? undefined;
    return this.#below?.get(first, second);
  }

  /** Visits the values whose first key is this one. */
  selectFirst(first: string): Iterable<Value> {
    return this.#below ? this.#mergeFirst(first).values() : shownOf(this.#byFirst.get(first));
  }

  /** Visits the values whose second key is this one. */
  selectSecond(second: string): Iterable<Value> {
    return this.#below ? this.#mergeSecond(second).values() : shownOf(this.#bySecond.get(second));
  }

  put(first: string, second: string, value: Value): void {
    this.#write(first, second, value);
  }

  delete(first: string, second: string): void {
    if (this.#below) this.#write(first, second, null);
    else this.#erase(first, second);
  }

  /** Makes a table on top of this one. */
  overlay(): PairTable<Value> {
    return new PairTable(this);
  }

  /** Carries the changes over to the table below. This table is not to be used any more. */
  commit(): void {
    for (const [first, values] of this.#byFirst) {
      for (const [second, value] of values) {
        if (value === null) this.#below?.delete(first, second);
        else this.#below?.put(first, second, value);
      }
    }
  }

  #write(first: string, second: string, value: Value | null): void {
    groupOf(this.#byFirst, first).set(second, value);
    groupOf(this.#bySecond, second).set(first, value);
  }

  #erase(first: string, second: string): void {
    eraseFrom(this.#byFirst, first, second);
    eraseFrom(this.#bySecond, second, first);
  }

  /** The group of this table laid over those below it. */
  #mergeFirst(first: string): ReadonlyMap<string, Value> {
    return merge(this.#below ? this.#below.#mergeFirst(first) : undefined, this.#byFirst.get(first));
  }

  #mergeSecond(second: string): ReadonlyMap<string, Value> {
    return merge(this.#below ? this.#below.#mergeSecond(second) : undefined, this.#bySecond.get(second));
  }
}

type Group<Value> = ReadonlyMap<string, Value | null>;

const nothing: readonly never[] = [];

/** The values of a table with nothing below it, none of which is null. */
function shownOf<Value>(group: Group<Value> | undefined): Iterable<Value> {
  return (group as ReadonlyMap<string, Value> | undefined)?.values() ?? nothing;
}

function groupOf<Value>(groups: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  let group = groups.get(key);
  if (!group) groups.set(key, (group = new Map()));
  return group;
}

function eraseFrom<Value>(groups: Map<string, Map<string, Value>>, key: string, member: string): void {
  const group = groups.get(key);
  group?.delete(member);
  if (group?.size === 0) groups.delete(key);
}

function merge<Value>(
  below: ReadonlyMap<string, Value> | undefined,
  own: Group<Value> | undefined,
): ReadonlyMap<string, Value> {
  const merged = new Map(below);
  for (const [key, value] of own ?? nothing) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return merged;
}
