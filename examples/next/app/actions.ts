'use server';

import { requireActionSession } from '@x/server/next';
import { revalidatePath } from 'next/cache';
import { headers } from 'next/headers';
import { notes } from '../entities';
import { entitiesFor, server } from '../server';

export async function addNote(form: FormData): Promise<void> {
  const session = await requireActionSession(server, await headers());
  const created = await entitiesFor(session).create(notes, { title: String(form.get('title')) });
  if (created.ok) revalidatePath('/');
}
