import { z } from 'zod';

/** A slug: lower-case words joined by hyphens. An empty one asks for a generated one. */
export const slug: z.ZodType<string, string> = z
  .string()
  .max(100)
  .regex(/^([a-z0-9]+(-[a-z0-9]+)*)?$/);

/** Generates a slug from a name that no other organization has. */
export function makeSlug(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/['’\p{Mark}]/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const start = words.join('-').slice(0, 40).replace(/-$/, '');
  return [...(start === '' ? [] : [start]), crypto.randomUUID().slice(0, 8)].join('-');
}
