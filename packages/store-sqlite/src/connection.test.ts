import { expect, it } from 'vitest';
import { toPositional } from './connection.ts';

it('replaces numbered parameters by positional ones, in the order of the text', () => {
  expect(toPositional('SELECT $2, $1')).toEqual({ text: 'SELECT +?, +?', order: [1, 0] });
});

it('accepts a number more than once, and with two digits', () => {
  expect(toPositional('SELECT $1, $11, $1')).toEqual({ text: 'SELECT +?, +?, +?', order: [0, 10, 0] });
});

it('leaves literals, quoted names and comments as they are', () => {
  const text = `SELECT '$1 it''s $2', "$3", "a""$4" -- $5 isn't
    /* $6 ' */ FROM t WHERE a = `;
  expect(toPositional(`${text}$1`)).toEqual({ text: `${text}+?`, order: [0] });
});
