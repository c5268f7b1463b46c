import type { NextConfig } from 'next';

export default { serverExternalPackages: ['@x/server', '@x/store-sqlite'] } satisfies NextConfig;
