import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = new URL('../../../../', import.meta.url);

/** Verifies an image while no file can be opened, and again afterwards. */
const program = `
  import { closeSync, openSync, readFileSync } from 'node:fs';
  import { createImageEngine } from './dist/lib/images/image-engine.js';
  import { systemClock as clock } from './dist/lib/platform/clock.js';
  import { createTimeSlices } from './dist/lib/platform/time-slices.js';
  const limits = { max_encoded_bytes: 1e7, max_edge: 4096, max_pixels: 1e7, max_decode_ms: 10000 };
  const engine = createImageEngine({ limits, clock, slices: createTimeSlices(clock) });
  const image = readFileSync(process.argv[1]);
  const { signal } = new AbortController();
  const report = () => engine.inspect(image, signal).then(
    ({ ok }) => console.log(ok),
    ({ code }) => console.log(code),
  );
  const held = [];
  try {
    for (;;) held.push(openSync('/dev/null'));
  } catch {}
  await report();
  for (const descriptor of held) closeSync(descriptor);
  await report();
`;

test('an image is verified as soon as sharp can be loaded, even after earlier loads failed', async () => {
  const photo = 'test/data/photos/coffee.png';
  const node = [process.execPath, '--input-type=module', '--eval', program, photo];

  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', 'ulimit -n 128; exec "$@"', 'sh', ...node],
    { cwd: fileURLToPath(root), timeout: 25_000 },
  );

  expect(stdout).toBe('internal\ntrue\n');
});
