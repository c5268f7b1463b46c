/** Receives faults that responses do not reveal to callers. A pino logger fits. Fields never contain secrets. */
export interface Logger {
  /** Says whether lines of a level are kept, so that others need not be built. Default: all are. */
  isLevelEnabled?(level: string): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The option `logger` of an app: by default the console, with `false` nothing. */
export type LoggerOption = Logger | false | undefined;

/**
 * Returns the logger of an option.
 *
 * @param isProduction - whether the console gets no stacks
 */
export function toLogger(option: LoggerOption, isProduction = false): Logger {
  return option === false ? silentLogger : (option ?? createConsoleLogger(isProduction));
}

/** A logger that discards everything. */
const silentLogger: Logger = { isLevelEnabled: () => false, debug() {}, info() {}, warn() {}, error() {} };

/** Creates a logger that writes all but `debug` as one line each and, except in production, the stack of an error. */
function createConsoleLogger(isProduction: boolean): Logger {
  const write =
    (level: 'info' | 'warn' | 'error') =>
    (fields: object, message: string): void => {
      const known = Object.entries(fields).filter(([, value]) => value !== undefined);
      const line = [`${level}: ${message}`, ...known.map(toText)].join(' ');
      if ('err' in fields && !isProduction) console[level](line, fields.err);
      else console[level](line);
    };
  const isLevelEnabled = (level: string): boolean => level !== 'debug';
  return { isLevelEnabled, debug() {}, info: write('info'), warn: write('warn'), error: write('error') };
}

/** What follows a space, a quotation mark or a line break would look like another field, or another line. */
function toText([name, value]: [string, unknown]): string {
  if (typeof value === 'string' && /^[^\s"\p{C}]+$/u.test(value)) return `${name}=${value}`;
  return `${name}=${JSON.stringify(name === 'err' ? messageOf(value) : value)}`;
}

/** Anything can be thrown, also what has no text. */
function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : typeof thrown;
}
