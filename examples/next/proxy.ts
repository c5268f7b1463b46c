import { createProxy } from '@x/server/next';
import { NextResponse } from 'next/server';
import { server } from './server';

export const proxy = createProxy(server, NextResponse);
export const config = { matcher: '/((?!api/|_next/).*)' };
