import type { Filter, Model, Models, SerializedRecord } from '@x/entity';
import type { EntityClient } from '../entity/entity-client.ts';
import type { AnyCall, CallOptions } from '../request/call.ts';
import { type ClientResult, failTo, succeed } from '../request/send.ts';

/**
 * Iterates over all records that the user may list, in one request, as they arrive. A failure is the last value. Requires
 * an `export` rule.
 *
 * @example
 * ```ts
 * for await (const exported of exportRecords(client.entities.tasks, { where: { done: true } })) {
 *   if (!exported.ok) throw new Error(exported.error.code);
 *   console.log(exported.data.title);
 * }
 * ```
 */
export async function* exportRecords<M extends Model, All extends Models>(
  entity: EntityClient<M, All>,
  { where }: { readonly where?: Filter<M, All> } = {},
  options?: CallOptions,
): AsyncGenerator<ClientResult<SerializedRecord<M>>, void> {
  const { get } = (entity as unknown as { readonly export: { readonly get: AnyCall } }).export;
  const response: ClientResult<Response> = await get(
    { where: where && JSON.stringify(where) },
    { ...options, raw: true },
  );
  if (!response.ok) return yield response;
  try {
    for await (const line of readLines(response.data)) yield succeed(JSON.parse(line) as SerializedRecord<M>);
  } catch (error) {
    if (options?.signal?.aborted) yield failTo('ABORTED');
    else yield failTo(error instanceof SyntaxError ? 'INVALID_RESPONSE' : 'NETWORK_FAILED');
  }
}

/** Reads the lines of a response; not all browsers can iterate over its body. */
async function* readLines({ body }: Response): AsyncGenerator<string, void> {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value = '' } = await reader.read();
      const lines = (rest + value).split('\n');
      rest = lines.pop()!;
      yield* lines;
      if (done) break;
    }
    if (rest !== '') yield rest;
  } finally {
    await reader.cancel();
  }
}
