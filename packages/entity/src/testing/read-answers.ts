/** Lists the statuses of answers. */
export function statusesOf(answers: readonly { readonly status: number }[]): readonly number[] {
  return answers.map(({ status }) => status);
}

/** Lists the ids of a page of records. */
export function idsOf(text: string): readonly string[] {
  return (JSON.parse(text) as { items: { id: string }[] }).items.map(({ id }) => id);
}
