import { expect, test } from 'vitest';

import { toPositional } from './connection.ts';

test('numbered parameters become plain ones, in the order of the text', () => {
  expect(toPositional('SELECT $2, $1')).toEqual({ text: 'SELECT +?, +?', order: [1, 0] });
});

test('a number may be used more than once, and may have two digits', () => {
  expect(toPositional('SELECT $1, $11, $1')).toEqual({ text: 'SELECT +?, +?, +?', order: [0, 10, 0] });
});

test('literals, quoted names and comments stay as they are', () => {
  const text = `SELECT '$1 it''s $2', "$3", "a""$4" -- $5 isn't
    /* $6 ' */ FROM t WHERE a = `;
  expect(toPositional(`${text}$1`)).toEqual({ text: `${text}+?`, order: [0] });
});
