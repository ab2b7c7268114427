import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { stateDatabaseFile } from '../../../../lib/storage/sqlite/database.ts';
import type { OpenSqlite } from '../../../../lib/storage/sqlite/sqlite-stores.ts';
import { startStorageThreads } from '../../../../lib/storage/sqlite/storage-threads.ts';

let directory: string;
let file: string;
let opened: OpenSqlite;
let failures: BridgeError[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'storage-threads-'));
  file = stateDatabaseFile(directory);
  failures = [];
  opened = await startStorageThreads().open({
    file,
    onFailure: (failure) => failures.push(failure),
  });
});
afterEach(async () => {
  await opened.close();
  await rm(directory, { recursive: true });
});

/** Makes 17 calls that overlap. Resolves with the thread that they start, when the thread has sent this event. */
async function startReader(event: 'message' | 'exit'): Promise<Worker> {
  const { promise: started, resolve } = Promise.withResolvers<Worker>();
  process.once('worker', (reader) => reader.once(event, () => resolve(reader)));
  await Promise.all(Array.from({ length: 17 }, () => opened.stores.queue.read()));
  return started;
}

describe('startStorageThreads', () => {
  test('no second thread starts for a few calls that overlap', async () => {
    let started = 0;
    const count = () => {
      started += 1;
    };
    process.on('worker', count);

    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 16 }, () => opened.stores.queue.read()));
    }

    process.off('worker', count);
    expect(started).toBe(0);
  });

  test('a second thread reads once 16 calls in a row have waited for others', async () => {
    const reader = await startReader('message');
    let messages = 0;
    reader.on('message', () => {
      messages += 1;
    });

    await opened.stores.queue.setPaused(true);
    const afterWrite = messages;
    const { paused } = await opened.stores.queue.read();

    expect(paused).toBe(true);
    expect([afterWrite, messages]).toEqual([0, 1]);
  });

  test('the first thread goes on reading if the second thread cannot open the database', async () => {
    await rename(file, `${file}.moved`);
    await startReader('exit');
    await rename(`${file}.moved`, file);

    await opened.stores.queue.setPaused(true);
    const reads = [opened.stores.queue.read(), opened.stores.queue.read()];

    expect(await Promise.all(reads)).toMatchObject([{ paused: true }, { paused: true }]);
    expect(failures).toEqual([]);
  });

  test('calls after close are rejected', async () => {
    await opened.close();

    await expect(opened.stores.queue.read()).rejects.toMatchObject({
      code: 'overloaded',
      message: 'the bridge is stopping',
    });
  });

  test('a database that cannot be opened is a configuration error', async () => {
    const outcome = startStorageThreads().open({ file: directory, onFailure: () => {} });

    await expect(outcome).rejects.toMatchObject({ code: 'configuration' });
  });
});
