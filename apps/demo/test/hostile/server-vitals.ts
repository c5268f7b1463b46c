import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The resources that a server uses at one moment. */
export interface Vitals {
  /** Resident memory of the process, and the memory that its children do not share. */
  readonly megabytes: number;
  /** Connections that are still open, though their clients have closed them. */
  readonly abandoned: number;
}

/** Reads the memory of a process several times a second, until the result is called, which returns the most of it. */
export function watchMegabytes(processId: number): () => number {
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, readMegabytes(processId))), 250);
  return () => {
    clearInterval(timer);
    return most;
  };
}

/** Reads the vitals of a process now; all 0 once it is gone. */
export function readVitals(processId: number, port: number): Vitals {
  return { megabytes: readMegabytes(processId), abandoned: countAbandoned(processId, port) };
}

function readMegabytes(processId: number): number {
  const own = readMemory(processId, 'VmRSS');
  // Memory that the children share with their parent, as the program itself, is counted with the parent.
  const others = descendantsOf(processId).reduce((sum, child) => sum + readMemory(child, 'RssAnon'), 0);
  return (own + others) / 1024;
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

function countAbandoned(processId: number, port: number): number {
  const folder = `/proc/${processId}/fd`;
  const files = attempt(() => readdirSync(folder), []);
  const open = new Set(files.map((file) => attempt(() => readlinkSync(`${folder}/${file}`), '')));
  const ofPort = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = attempt(() => readFileSync(`/proc/${processId}/net/tcp`, 'utf8'), '')
    .trim()
    .split('\n')
    .slice(1);
  return lines.filter((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    return local?.endsWith(ofPort) && state === closeWait && open.has(`socket:[${inode}]`);
  }).length;
}

/** As Linux writes the state of a socket that only the other side has closed. */
const closeWait = '08';

/** A file or a child of a process may be gone before it is read. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
