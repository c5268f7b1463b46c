// Loaded into the demo before its program: writes down each pause of its event loop, one line each: the moment at which
// it ended, how long it took, and how much of that the thread was running, in milliseconds. Time in which it waits for
// a core, because the machine is busy with something else, does not count.
import { appendFileSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const file = fileURLToPath(new URL(import.meta.url).searchParams.get('file'));
const everyMs = 5;
const reportedFromMs = 20;

// Programs and threads that the demo starts load this, too, and may well pause.
if (isMainThread && process.send === undefined) watch();

function watch() {
  let last = { at: performance.now(), ...readSchedule() };
  setInterval(() => {
    const now = { at: performance.now(), ...readSchedule() };
    const pause = now.at - last.at - everyMs - (now.waited - last.waited);
    const line = [Date.now(), pause.toFixed(1), (now.ran - last.ran).toFixed(1)].join(' ');
    if (pause >= reportedFromMs) appendFileSync(file, `${line}\n`);
    last = { at: performance.now(), ...readSchedule() };
  }, everyMs).unref();
}

/** How long this thread has run, and how long it has waited for a core in all. */
function readSchedule() {
  const [ran, waited] = readFileSync(`/proc/${process.pid}/schedstat`, 'utf8').split(' ');
  return { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 };
}
