import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sandboxRequest } from './sandbox-rig.ts';

const root = new URL('../../../../', import.meta.url);

const program = `
  import { createImageEngine } from './dist/lib/images/image-engine.js';
  import { systemClock as clock } from './dist/lib/platform/clock.js';
  import { createTimeSlices } from './dist/lib/platform/time-slices.js';
  import { createSandboxProvider } from './dist/lib/providers/sandbox/provider.js';
  const limits = { max_encoded_bytes: 1e7, max_edge: 4096, max_pixels: 1e7, max_decode_ms: 10000 };
  const engine = createImageEngine({ limits, clock, slices: createTimeSlices(clock) });
  const provider = createSandboxProvider({ settings: { latency_ms: 0 }, engine, clock });
  const { signal } = new AbortController();
  const context = { requestId: 'a', attempt: 1, signal, onEvent() {} };
  const { outputs } = await provider.execute(JSON.parse(process.argv[1]), context);
  console.log(outputs.length);
`;

describe('the drawing threads', () => {
  it('neither keep a process alive nor print anything', async () => {
    const request = JSON.stringify(sandboxRequest());
    const run = promisify(execFile);

    const { stdout, stderr } = await run(
      process.execPath,
      ['--input-type=module', '--eval', program, request],
      { cwd: fileURLToPath(root), timeout: 25_000 },
    );

    expect(stdout).toBe('1\n');
    expect(stderr).toBe('');
  });
});
