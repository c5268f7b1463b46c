import { ConfigurationError } from '@x/errors';
import type pg from 'pg';

/**
 * Checks that texts are stored in the encoding in which they are sent. Other encodings lack characters, or read the
 * bytes of one character as several.
 *
 * @param option - the option that says where the database is
 * @throws ConfigurationError if the database has another encoding
 */
export async function assertUtf8(client: pg.ClientBase, option: 'url' | 'pool'): Promise<void> {
  const { rows } = await client.query<{ readonly encoding: string }>(selectEncoding);
  const encoding = rows[0]?.encoding ?? '';
  if (encoding === 'UTF8') return;
  throw new ConfigurationError([
    `${option}: the encoding of the database is ${encoding}, and must be UTF8; one is created by ${createUtf8}.`,
  ]);
}

const selectEncoding = "SELECT current_setting('server_encoding') AS encoding";

const createUtf8 = "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0";
