import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // `npm run dev` serves the page and asks `npm start` for the rest.
  server: { proxy: { '/api': 'http://localhost:3000' } },
});
