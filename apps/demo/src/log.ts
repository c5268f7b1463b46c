import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

/** Creates the log: JSON lines in production, for people otherwise. */
export function createLog(options: { readonly production: boolean; readonly level: string }): Logger {
  const settings = { level: options.level, redact: secrets, timestamp: pino.stdTimeFunctions.isoTime };
  return options.production ? pino(settings) : pino(settings, pretty({ colorize: process.stdout.isTTY, sync: true }));
}

/** Nothing logs these on purpose; this guards against later mistakes. */
const secrets = [
  'password',
  'token',
  'cookie',
  'authorization',
  'headers',
  '*.password',
  '*.token',
  '*.cookie',
  '*.headers',
];
