/** Lists the statuses of responses. */
export function statusesOf(responses: readonly { readonly status: number }[]): readonly number[] {
  return responses.map(({ status }) => status);
}

/** Lists the ids of a page of records. */
export function idsOf(text: string): readonly string[] {
  return (JSON.parse(text) as { items: { id: string }[] }).items.map(({ id }) => id);
}

/** Lists the ids of all shown records that have a field, in order. */
export function idsWith(field: string, responses: readonly { readonly text: string }[]): readonly string[] {
  const records = responses.flatMap(({ text }): readonly Shown[] => {
    const body = JSON.parse(text) as Shown & { readonly items?: readonly Shown[] };
    return body.items ?? [body];
  });
  return records.flatMap((record) => (field in record ? (record.id ?? []) : [])).toSorted();
}

/** A refusal has no id. */
interface Shown {
  readonly id?: string;
}
