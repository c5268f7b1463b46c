/** Pairs each value with a title that a terminal can show: its JSON, cut off. */
export function titled<Value>(values: readonly Value[]): readonly (readonly [title: string, value: Value])[] {
  return values.map((value) => [JSON.stringify(value).slice(0, 60), value]);
}
