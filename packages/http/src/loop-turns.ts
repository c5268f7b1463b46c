/** How many turns are left to others after each: the system hands over one new connection per turn. */
const restingTurns = 32;

const waiting: (() => void)[] = [];

/**
 * Waits for a turn of the event loop that no other caller of this function has. For steps that take milliseconds: many
 * that become possible at the same moment then take one turn each, and whatever else waits for the loop runs between
 * them.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) schedule(beginNext);
  });
}

/** Not every runtime has `setImmediate`. */
const schedule: (next: () => void) => unknown = globalThis.setImmediate ?? ((next) => setTimeout(next));

function beginNext(): void {
  waiting[0]?.();
  schedule(() => rest(restingTurns));
}

function rest(turns: number): void {
  if (turns > 0) {
    schedule(() => rest(turns - 1));
    return;
  }
  waiting.shift();
  if (waiting.length > 0) beginNext();
}
