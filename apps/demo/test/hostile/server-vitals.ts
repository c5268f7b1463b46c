import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a server takes of its machine at one moment. */
export interface Vitals {
  readonly at: number;
  /** Resident memory of the process, and what its children have for themselves. */
  readonly megabytes: number;
  /** Open sockets, of whatever kind. */
  readonly sockets: number;
}

/** Reads the vitals of a process several times a second, until the result is called, which returns them all. */
export function watchVitals(processId: number): () => readonly Vitals[] {
  const vitals: Vitals[] = [];
  const timer = setInterval(() => vitals.push(readVitals(processId)), 250);
  return () => {
    clearInterval(timer);
    return vitals;
  };
}

/** Reads the vitals of a process now; all 0 once it is gone. */
export function readVitals(processId: number): Vitals {
  const own = readMemory(processId, 'VmRSS');
  // What the children share with their parent, as the program itself, is counted with the parent.
  const others = descendantsOf(processId).reduce((sum, child) => sum + readMemory(child, 'RssAnon'), 0);
  return { at: Date.now(), megabytes: (own + others) / 1024, sockets: countSockets(processId) };
}

function descendantsOf(processId: number): readonly number[] {
  const children = attempt(() => readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8'), '');
  const ids = children.split(' ').filter(Boolean).map(Number);
  return ids.flatMap((id) => [id, ...descendantsOf(id)]);
}

function readMemory(processId: number, name: string): number {
  const status = attempt(() => readFileSync(`/proc/${processId}/status`, 'utf8'), '');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
}

function countSockets(processId: number): number {
  const folder = `/proc/${processId}/fd`;
  const files = attempt(() => readdirSync(folder), []);
  return files.filter((file) => attempt(() => readlinkSync(`${folder}/${file}`), '').startsWith('socket:')).length;
}

/** What a process has open may be gone before it is read. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
