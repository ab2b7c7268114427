import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/**
 * The bridge to which the development server forwards requests. The bridge compares Host with Origin, so Host is passed
 * on unchanged.
 */
const BRIDGE = {
  target: process.env['BRIDGE'] ?? 'http://127.0.0.1:8787',
  changeOrigin: false,
};

export default defineConfig({
  root: path('.'),
  base: '/dashboard/',
  build: {
    outDir: path('../dist/dashboard'),
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy allows neither `data:` addresses nor inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licenses.md' },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: { host: '127.0.0.1', proxy: { '/v1': BRIDGE, '/health': BRIDGE } },
});
