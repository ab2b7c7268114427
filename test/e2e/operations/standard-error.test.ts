import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';

const PROGRAM = fileURLToPath(new URL('../../../dist/bundle/main.js', import.meta.url));

afterAll(cleanUp);

/** A named pipe. The test holds both ends, and the bridge inherits the writing end. */
async function openPipe() {
  const path = join(await freshFolder(), 'stderr');
  spawnSync('mkfifo', [path]);
  const openReader = () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const reader = openReader();
  return { openReader, reader, writer: openSync(path, constants.O_WRONLY) };
}

/** Reads the current content of a pipe. */
function readAll(reader: number): string {
  const buffer = Buffer.alloc(1 << 20);
  let text = '';
  for (;;) {
    try {
      const length = readSync(reader, buffer);
      if (length === 0) return text;
      text += buffer.toString('utf8', 0, length);
    } catch {
      return text;
    }
  }
}

function fill(reader: number): void {
  const writer = openSync(`/proc/self/fd/${reader}`, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    for (const size of [65_536, 4096, 1]) {
      try {
        for (;;) writeSync(writer, '.'.repeat(size));
      } catch {
        // No chunk of this size fits any longer.
      }
    }
  } finally {
    closeSync(writer);
  }
}

async function makeImage({ address }: StartedBridge): Promise<number> {
  const response = await fetch(`${address}/v1/images`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'dusk', parameters: { size: '256x256' } }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function makeImages(bridge: StartedBridge, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let made = 0; made < count; made += 1) statuses.push(await makeImage(bridge));
  return statuses;
}

describe('standard error', () => {
  it('may be closed by its reader while the bridge serves', async () => {
    const bridge = await startBridge();

    bridge.child.stderr?.destroy();
    const statuses = await makeImages(bridge, 3);

    expect(statuses).toEqual([200, 200, 200]);
    expect(await bridge.end('SIGTERM')).toMatchObject({ code: 0, signal: null });
  });

  it('reports the number of lost lines when a pipe has a reader again', async () => {
    const pipe = await openPipe();
    const bridge = await startBridge({ stderr: pipe.writer });
    closeSync(pipe.writer);

    closeSync(pipe.reader);
    await makeImages(bridge, 2);
    const reader = pipe.openReader();
    const status = await makeImage(bridge);
    let text = '';
    await expect
      .poll(() => {
        text += readAll(reader);
        return text;
      })
      .toContain('image_operation_succeeded');
    closeSync(reader);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

    expect(status).toBe(200);
    expect(lines.map(({ event }) => event)).toEqual([
      'log_lines_lost',
      'image_operation_started',
      'image_operation_succeeded',
    ]);
    expect(lines[0]).toMatchObject({ level: 'WARN', lost: 4 });
  });

  it('may be a full pipe, and receives the remaining lines after the pipe was read', async () => {
    const pipe = await openPipe();
    const bridge = await startBridge({ stderr: pipe.writer });
    closeSync(pipe.writer);

    fill(pipe.reader);
    const statuses = await makeImages(bridge, 3);
    let text = '';
    await expect
      .poll(() => {
        text += readAll(pipe.reader);
        return text.split('image_operation_succeeded').length - 1;
      })
      .toBe(3);
    closeSync(pipe.reader);

    expect(statuses).toEqual([200, 200, 200]);
  });
});

describe('standard output', () => {
  it('may be closed by its reader before a command writes to it', async () => {
    const child = spawn(process.execPath, [PROGRAM, '--help'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });

    child.stdout.destroy();
    const [code] = await once(child, 'close');

    expect(stderr).toBe('');
    expect(code).toBe(0);
  });
});
