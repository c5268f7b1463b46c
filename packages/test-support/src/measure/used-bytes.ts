/** Returns how many bytes the objects and buffers of this thread take, unlike those of other tests in other threads. */
export function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
