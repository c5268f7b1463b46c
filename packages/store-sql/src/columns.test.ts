import { describe, expect, it } from 'vitest';

import { boolean, defineColumns, integer, json, moment, momentOrNull, text, textOrNull } from './columns.ts';

interface Note {
  readonly id: string;
  readonly ownerName: string | null;
  readonly isDone: boolean;
  readonly detail: object;
  readonly dueAt: Date | null;
}

const noteColumns = defineColumns((row): Note => ({
  id: text(row['id']),
  ownerName: textOrNull(row['owner']),
  isDone: boolean(row['is_done']),
  detail: json(row['detail']),
  dueAt: momentOrNull(row['due_at']),
}));

const note: Note = { id: 'note-1', ownerName: null, isDone: true, detail: { a: 1 }, dueAt: new Date(5) };

describe('defineColumns', () => {
  it('takes names and their order from the function that decodes a row', () => {
    expect(noteColumns.names).toBe('id, owner, is_done, detail, due_at');
    expect(noteColumns.placeholders).toBe('$1, $2, $3, $4, $5');
    expect(noteColumns.placeholderOf('isDone')).toBe('$3');
  });

  it('encodes a record in the order of its placeholders and decodes what comes back', () => {
    const values = noteColumns.encode(note);
    expect(values).toEqual(['note-1', null, true, '{"a":1}', 5]);
    const [id, owner, isDone, detail, dueAt] = values;
    const row = { id, owner, is_done: isDone, detail, due_at: dueAt };
    expect(noteColumns.decode(row)).toEqual(note);
    expect(noteColumns.decodeFirst([row])).toEqual(note);
    expect(noteColumns.decodeFirst([])).toBeNull();
  });

  it('encodes only declared fields', () => {
    expect(noteColumns.encode({ ...note, other: 'x' } as Note)).toHaveLength(5);
  });

  it('tells columns of the same name apart in a join', () => {
    const ids = defineColumns((row): { readonly id: string } => ({ id: text(row['id']) }));
    const [first, second] = [ids.as('a'), ids.as('b')];
    expect(first.names).toBe('a.id AS a_id');
    expect(second.names).toBe('b.id AS b_id');
    const row = { a_id: 'x', b_id: null };
    expect(first.decode(row)).toEqual({ id: 'x' });
    expect(second.decode(row)).toEqual({ id: null });
  });

  it('refuses a field that reads no column, two columns, or the column of another field', () => {
    expect(() => defineColumns(() => ({ id: 'x' }))).toThrow(TypeError);
    expect(() => defineColumns((row) => ({ id: `${text(row['a'])}${text(row['b'])}` }))).toThrow(TypeError);
    expect(() => defineColumns((row) => ({ id: text(row['id']), other: text(row['id']) }))).toThrow(TypeError);
  });
});

describe('cells', () => {
  it('reads a moment and an integer from a number and from the decimal text of a 64-bit integer', () => {
    expect(moment(1767225600000)).toEqual(new Date('2026-01-01T00:00:00.000Z'));
    expect(moment('1767225600000')).toEqual(new Date('2026-01-01T00:00:00.000Z'));
    expect(momentOrNull('0')).toEqual(new Date(0));
    expect(integer('7')).toBe(7);
  });

  it('reads no moment as null', () => {
    expect(momentOrNull(null)).toBeNull();
  });

  it('reads JSON from its text', () => {
    expect(json('{"a":[1,null]}')).toEqual({ a: [1, null] });
  });
});
