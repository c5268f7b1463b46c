/** Receives faults that responses do not reveal to callers. A pino logger fits. Fields never contain secrets. */
export interface Logger {
  /** Says whether lines of a level are kept, so that others need not be built. Default: all are. */
  isLevelEnabled?(level: string): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A logger that discards everything: the default of the libraries. */
export const silentLogger: Logger = {
  isLevelEnabled: () => false,
  debug() {},
  info() {},
  warn() {},
  error() {},
};
