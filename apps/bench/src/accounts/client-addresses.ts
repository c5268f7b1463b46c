/** Returns what gives each request a client address, a new one after every so many requests. */
export function createClientAddresses(requestsPerAddress: number): () => string {
  let requests = 0;
  return () => {
    const number = Math.floor(requests / requestsPerAddress);
    requests += 1;
    return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  };
}
