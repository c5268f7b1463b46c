/** Where faults go that no caller can be told about. A pino logger fits. Fields never hold secrets. */
export interface Logger {
  /** Says whether lines of a level are kept, so that none is made in vain. Default: all are. */
  isLevelEnabled?(level: string): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A logger that keeps nothing: the default of the libraries. */
export const silentLogger: Logger = {
  isLevelEnabled: () => false,
  debug() {},
  info() {},
  warn() {},
  error() {},
};
