const blockLength = 512;

/**
 * Items kept in order. They are split into blocks, so that a position is found by bisection, and an insertion or
 * removal moves only the items of one block.
 *
 * The comparison must be 0 only for an item and itself.
 */
export class SortedList<Item extends object> {
  readonly #compare: (a: Item, b: Item) => number;
  /** Never contains an empty block. */
  readonly #blocks: Item[][] = [];

  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  add(item: Item): void {
    const isBefore = (other: Item): boolean => this.#compare(other, item) < 0;
    const at = Math.min(this.#findBlock(isBefore), Math.max(0, this.#blocks.length - 1));
    const block = this.#blocks[at] ?? [];
    block.splice(countBefore(block, isBefore), 0, item);
    if (block.length === 1) this.#blocks.push(block);
    if (block.length > blockLength) this.#blocks.splice(at + 1, 0, block.splice(block.length / 2));
  }

  remove(item: Item): void {
    const isBefore = (other: Item): boolean => this.#compare(other, item) < 0;
    const at = this.#findBlock(isBefore);
    const block = this.#blocks[at];
    const place = block ? countBefore(block, isBefore) : 0;
    if (block?.[place] !== item) return;
    block.splice(place, 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /**
   * Visits the items in order, starting with the first that `isBefore` is false for; it must be true for exactly those
   * before.
   */
  *from(isBefore: (item: Item) => boolean): Generator<Item> {
    for (let at = this.#findBlock(isBefore); at < this.#blocks.length; at += 1) {
      const block = this.#blocks[at] ?? [];
      const start = countBefore(block, isBefore);
      for (let place = start; place < block.length; place += 1) {
        const item = block[place];
        if (item) yield item;
      }
    }
  }

  /** Finds the first block whose last item is not before. */
  #findBlock(isBefore: (item: Item) => boolean): number {
    return countBefore(this.#blocks, (block) => {
      const last = block.at(-1);
      return last !== undefined && isBefore(last);
    });
  }
}

/** Counts the leading items that `isBefore` is true for, by bisection. */
function countBefore<Item extends object>(items: readonly Item[], isBefore: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const item = items[middle];
    if (item && isBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
