import adapter from '@sveltejs/adapter-node';
import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig } from 'vite';

// SvelteKit compares the origin with that of writes without a body, such as signing out.
const paths = { origin: 'http://localhost:3000' };

export default defineConfig({ plugins: [sveltekit({ adapter: adapter(), paths })] });
