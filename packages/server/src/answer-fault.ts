import { RequestError } from '@hono/node-server';
import { CodedError, type Logger } from '@x/errors';
import { fallbackResponse } from './bare-answers.ts';

/**
 * Responds to a request that failed outside every route: one that the adapter refused, or a fault. It is a file of its
 * own so that creating a server does not load the adapter, which takes Node a while.
 */
export function respondToFault(error: unknown, logger: Logger): Response {
  return fallbackResponse(toCodedError(error, logger));
}

function toCodedError(error: unknown, logger: Logger): CodedError {
  if (error instanceof RequestError) return new CodedError('VALIDATION_FAILED', 'The request is not valid.');
  logger.error({ err: error }, 'request failed outside any route');
  return new CodedError('INTERNAL_ERROR', 'Something went wrong.');
}
