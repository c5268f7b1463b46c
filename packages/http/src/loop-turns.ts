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
  waiting.shift();
  if (waiting.length > 0) schedule(beginNext);
}
