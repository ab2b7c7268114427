// Joins the compiled program into few files: loading some three hundred small ones would take longer than all else of a
// start. What a command needs only later stays a file of its own; packages stay outside.
import { rm } from 'node:fs/promises';
import { rolldown } from 'rolldown';

const dir = 'dist/bundle';

await rm(dir, { recursive: true, force: true });
const bundle = await rolldown({
  input: 'dist/local-runtime/main.js',
  platform: 'node',
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
});
await bundle.write({ dir, format: 'esm', comments: false });
await bundle.close();
