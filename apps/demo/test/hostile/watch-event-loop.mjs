// Loaded into the demo before its program: writes down each pause of its event loop, one line each, with the moment at
// which it ended and how long it took in milliseconds. What the thread spent waiting for a core, because the machine was
// busy with something else, does not count.
import { appendFileSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL(import.meta.url).searchParams.get('file'));
const everyMs = 5;
const reportedFromMs = 20;

let last = performance.now();
let waited = waitedMs();
setInterval(() => {
  const now = performance.now();
  const waitedNow = waitedMs();
  const pause = now - last - everyMs - (waitedNow - waited);
  if (pause >= reportedFromMs) appendFileSync(file, `${Date.now()} ${pause.toFixed(1)}\n`);
  last = performance.now();
  waited = waitedNow;
}, everyMs).unref();

/** How long this thread has waited for a core in all. */
function waitedMs() {
  return Number(readFileSync(`/proc/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}
