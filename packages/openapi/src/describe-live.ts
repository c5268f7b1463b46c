import { readSecurity, type RouteGroup, writeErrors, writeSecurity } from './document/route.ts';
import { type JsonSchema, objectOf } from './schema/json-schema.ts';

const tag = 'live';

const text: JsonSchema = { type: 'string', pattern: '^[\\w-]{1,64}$' };

const ids: JsonSchema = { type: 'array', items: { type: 'string', format: 'uuid' }, maxItems: 100 };

const updatedAt: JsonSchema = {
  type: 'object',
  additionalProperties: { type: ['string', 'null'], format: 'date-time' },
  description:
    'If asked for: the `updatedAt` of each record by its id, where each was changed once; null for a deleted record, ' +
    'by the last eight characters of its id.',
};

/** The `data` of each `event` of the stream. */
const notice: JsonSchema = {
  description: 'The `data` of an event, by its name.',
  oneOf: [
    { ...objectOf({ streamId: text }), title: 'ready', description: 'The stream is open.' },
    {
      ...objectOf({ subscription: text, ids, updatedAt }, ['subscription']),
      title: 'change',
      description: 'A list that is subscribed to has changed: read it again, or the records with these ids.',
    },
    {
      ...objectOf({ hash: { type: 'string' } }),
      title: 'access',
      description: 'The access set of the caller changed.',
    },
    {
      ...objectOf({ reason: { type: 'string', enum: ['ended', 'changed', 'expired'] } }),
      title: 'session',
      description: 'The session was ended elsewhere, has to be refreshed, or is over; the stream ends.',
    },
    { type: 'object', title: 'reset', description: 'Something may have been missed: read and subscribe again.' },
  ],
};

/** The routes of the stream of notices. */
export const liveRoutes: RouteGroup = {
  tags: [{ name: tag, description: 'Notices of what changed. They carry no rows: clients read again.' }],
  schemas: { LiveNotice: notice },
  routes: [
    {
      operationId: 'live.open',
      tag,
      method: 'get',
      path: '/api/live',
      summary: 'Open the stream of notices',
      description: 'Events are `ready`, `change`, `access`, `session` and `reset`. A user may have six open.',
      security: readSecurity.user,
      parameters: [
        {
          name: 'updatedAt',
          in: 'query',
          description: 'Whether notices say when records were changed, if that tells a change from all others.',
          schema: { type: 'string', enum: ['true'] },
          example: 'true',
        },
        {
          name: 'Last-Event-ID',
          in: 'header',
          description: 'The id of the last event of a stream to continue. Browsers send it by themselves.',
          schema: { type: 'string' },
          example: 'AAAA',
        },
      ],
      responses: [
        {
          status: 200,
          description: 'Events until the client or the session ends.',
          content: { 'text/event-stream': { $ref: '#/components/schemas/LiveNotice' } },
          headers: ['Cache-Control'],
        },
      ],
      errors: ['UNAUTHENTICATED', 'INVALID_QUERY', 'RATE_LIMITED'],
    },
    {
      operationId: 'live.subscribe',
      tag,
      method: 'post',
      path: '/api/live/subscriptions',
      summary: 'Subscribe to notices of a list',
      description: 'A stream has at most 50 subscriptions.',
      security: writeSecurity.user,
      body: {
        isRequired: true,
        schema: objectOf({ streamId: text, id: text, entity: { type: 'string' }, where: { type: 'object' }, ids }, [
          'streamId',
          'id',
          'entity',
        ]),
      },
      responses: [{ status: 201, description: 'Subscribed.', content: { 'application/json': objectOf({ id: text }) } }],
      errors: [
        ...writeErrors,
        ...(['UNAUTHENTICATED', 'FORBIDDEN', 'STEP_UP_REQUIRED', 'NOT_FOUND'] as const),
        ...(['METHOD_NOT_ALLOWED', 'RATE_LIMITED'] as const),
      ],
    },
    {
      operationId: 'live.unsubscribe',
      tag,
      method: 'delete',
      path: '/api/live/subscriptions/{streamId}/{id}',
      summary: 'End a subscription',
      security: writeSecurity.user,
      parameters: ['streamId', 'id'].map((name) => ({
        name,
        in: 'path' as const,
        required: true,
        description: name === 'id' ? 'The id of the subscription.' : 'The id of the stream.',
        schema: text,
      })),
      responses: [{ status: 204, description: 'Ended.' }],
      errors: [...writeErrors, 'UNAUTHENTICATED', 'NOT_FOUND'],
    },
  ],
};
