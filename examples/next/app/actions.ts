'use server';

import { callerOf } from '@x/auth';
import { requireActionSession } from '@x/server/next';
import { revalidatePath } from 'next/cache';
import { notes } from '../entities';
import { server } from '../server';

export async function addNote(form: FormData): Promise<void> {
  const session = await requireActionSession(server);
  const created = await server.entities.as(callerOf(session)).create(notes, { title: String(form.get('title')) });
  if (created.ok) revalidatePath('/');
}
