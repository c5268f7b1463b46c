import { type Logger, pino } from 'pino';
import { parseEnv } from './env.ts';
import { type RunningDemo, startDemo } from './start-demo.ts';

try {
  const env = parseEnv(process.env);
  const log = await createLog({ production: env.production, level: env.logLevel });
  process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled rejection'));
  let demo: RunningDemo | undefined;
  let stopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    // A second signal exits immediately.
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    // A start that is still waiting, for example for the migrations of another process, leaves nothing behind.
    await demo?.stop();
    process.exit(0);
  };
  const stopOrFail = (signal: NodeJS.Signals): void => {
    stop(signal).catch((err: unknown) => {
      log.error({ err }, 'the stop failed');
      process.exit(1);
    });
  };
  process.on('SIGTERM', stopOrFail);
  process.on('SIGINT', stopOrFail);
  demo = await startDemo(env, log);
  log.info({ port: demo.port }, `Tracker answers on ${demo.url}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

/** Creates the log: JSON lines in production, for people otherwise. */
async function createLog(options: { readonly production: boolean; readonly level: string }): Promise<Logger> {
  // Nothing logs these on purpose; this guards against later mistakes.
  const names = ['password', 'token', 'cookie', 'headers'];
  const redact = [...names, 'authorization', ...names.map((name) => `*.${name}`)];
  const settings = { level: options.level, redact, timestamp: pino.stdTimeFunctions.isoTime };
  if (options.production) return pino(settings);
  const { default: pretty } = await import('pino-pretty');
  return pino(settings, pretty({ colorize: process.stdout.isTTY, sync: true }));
}
