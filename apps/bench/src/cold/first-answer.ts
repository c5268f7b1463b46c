// A process of its own runs this, so that nothing is loaded yet, and prints what it took, in time and in CPU of its
// main thread.
const startedAt = performance.now();
const cpuBefore = process.threadCpuUsage();

const { createServer } = await import('@x/server');
const { JWT_PRIVATE_KEY: privateKey = '', JWT_PUBLIC_KEY: publicKey = '', BASE_URL: baseUrl = '' } = process.env;
const server = await createServer({
  auth: { production: true, baseUrl, privateKey, publicKey, session: { strategy: 'jwt', algorithm: 'ES256' } },
});
await server.initialize();
const answer = await server.fetch(new Request(`${baseUrl}/api/auth/session`));
const body = await answer.text();

const milliseconds = performance.now() - startedAt;
const { user, system } = process.threadCpuUsage(cpuBefore);
if (answer.status !== 200) throw new Error(`The answer was ${answer.status}: ${body}`);
console.log(JSON.stringify({ milliseconds, cpuMicroseconds: user + system }));
// Timers of the server would keep the process alive.
process.exit(0);
