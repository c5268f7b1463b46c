import type { NextConfig } from 'next';

export default {
  serverExternalPackages: ['@x/access', '@x/entity', '@x/server', '@x/store-sqlite'],
} satisfies NextConfig;
