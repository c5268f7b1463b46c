import { readFileSync } from 'node:fs';

/** Ticks of the kernel's accounting per second; a constant of Linux's interface. */
const ticksPerSecond = 100;

/** Returns the CPU seconds that all threads of a process have used so far; null where the machine does not say. */
export function readCpuSeconds(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the process comes before and may itself contain blanks. See proc_pid_stat(5), utime and stime.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return null;
  }
}
