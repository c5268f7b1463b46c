import { z } from 'zod';

/** A slug: lower-case words joined by hyphens. The empty one stands for one that is to be made. */
export const slug: z.ZodType<string, string> = z
  .string()
  .max(100)
  .regex(/^([a-z0-9]+(-[a-z0-9]+)*)?$/);

/** Makes a slug of a name that no other organization has. */
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
